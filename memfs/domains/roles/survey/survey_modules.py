"""The Python modules of a project by name, and which of them an import means.

Names follow from where files stand, as Python would find them from the top of the project or from
below ``src``. An import that leads to nothing of the project is not followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from memfs.domains.roles.survey.survey_python import Imported, Module

_ROOTS: Final = frozenset({"src", "lib", "python"})
"""Folders at the top that are on the way to packages and no part of their names."""
_TESTING: Final = frozenset({"test", "tests"})
_NOTHING: Final = Module()
_MOST_HOPS: Final = 4
"""Packages through which a name is followed to where it is defined."""


class Modules:
    """The modules that were read, and the names of those that are there and were not."""

    def __init__(
        self,
        by_path: Mapping[str, Module],
        unread: Iterable[str] = (),
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_over = is_over
        self._tried: dict[str, tuple[str, ...]] = {}
        self.by_path = dict(sorted(by_path.items()))
        paths = sorted({*by_path, *(path for path in unread if path.endswith(".py"))})
        folders = {PurePosixPath(p).parent for p in paths if p.endswith("__init__.py")}
        self.names = {path: _name_of(PurePosixPath(path), folders) for path in paths}
        self._paths: dict[str, str] = {}
        for path, name in self.names.items():
            self._paths.setdefault(name, path)
        self._inside: dict[str, list[str]] = defaultdict(list)
        for path, name in self.names.items():
            parent = self._paths.get(name.rpartition(".")[0])
            if parent is not None and parent.endswith("__init__.py") and parent != path:
                self._inside[parent].append(path)
        self._found = lru_cache(maxsize=None)(self._looked_up)
        self._bound = lru_cache(maxsize=None)(self._bound_in)

    def find(self, name: str) -> str | None:
        """Returns the file of a module."""
        return self._paths.get(name)

    def is_test(self, path: str) -> bool:
        """Tells whether a file tests others, by where it stands and what it is called."""
        place = PurePosixPath(path)
        return (
            not _TESTING.isdisjoint(part.lower() for part in place.parts[:-1])
            or place.stem.startswith("test_")
            or place.stem.endswith("_test")
            or place.name == "conftest.py"
        )

    def inside(self, path: str) -> tuple[str, ...]:
        """Returns the files of what a package contains, one level down."""
        return tuple(self._inside.get(path, ()))

    def tops(self, folder: str) -> tuple[str, ...]:
        """Returns the files of the packages that begin in a folder, or below a root in it."""
        start = f"{folder}/" if folder else ""
        found = []
        for path in self.by_path:
            if not path.startswith(start) or not path.endswith("/__init__.py"):
                continue
            parts = path.removeprefix(start).split("/")[:-1]
            is_top = len(parts) == 1 or (len(parts) == 2 and parts[0] in _ROOTS)
            if is_top and not self.is_test(path):
                found.append(path)
        return tuple(found)

    def imported(self, path: str) -> tuple[str, ...]:
        """Returns the files of the modules that a module imports, each once, in order.

        Nothing where time is over; whoever asks looks at that.
        """
        if self._is_over():
            return ()
        found = dict.fromkeys(self._direct(path))
        found.pop(path, None)
        return tuple(found)

    def tried(self, path: str) -> tuple[str, ...]:
        """Returns the modules that a test tries: those it imports, and where names come from.

        Nothing where time is over; whoever asks looks at that.
        """
        if path not in self._tried and not self._is_over():
            self._tried[path] = tuple(self._tried_by(path))
        return self._tried.get(path, ())

    def _tried_by(self, path: str) -> dict[str, None]:
        found: dict[str, None] = {}
        for item in self.by_path[path].imports:
            for other in self._followed(path, item):
                if not self.is_test(other) and other != path:
                    found.setdefault(other)
        return found

    def tested(self) -> Mapping[str, set[str]]:
        """Returns for each module that is tried the tests that try it; a package by its parts."""
        found: dict[str, set[str]] = defaultdict(set)
        for path in self.by_path:
            if self.is_test(path):
                for other in self.tried(path):
                    for place in self._around(other):
                        found[place].add(path)
        return found

    def _around(self, path: str) -> Iterator[str]:
        """Yields a module and the packages that are imported with it."""
        yield path
        name = self.names[path]
        while name := name.rpartition(".")[0]:
            package = self._paths.get(name, "")
            if package.endswith("__init__.py"):
                yield package

    # Imports -------------------------------------------------------------------------------

    def _direct(self, path: str) -> Iterator[str]:
        for item in self.by_path[path].imports:
            found = self._found(path, item)
            if found is not None:
                yield found

    def _followed(self, path: str, item: Imported) -> Iterator[str]:
        """Yields what an import means, and the module in which the name is really defined."""
        here: str | None = path
        for _ in range(_MOST_HOPS):
            found = self._found(here, item) if here is not None else None
            if found is None:
                return
            yield found
            if not item.name:
                return
            onward = self._bound(found).get(item.name)
            if onward is None or onward == item:
                return
            here, item = found, onward

    def _bound_in(self, path: str) -> Mapping[str, Imported]:
        """Returns what the names at the top of a module were taken from, the first of each."""
        found: dict[str, Imported] = {}
        for item in self.by_path.get(path, _NOTHING).imports:
            found.setdefault(item.bound, item)
        return found

    def _looked_up(self, path: str, item: Imported) -> str | None:
        base = self._base(path, item)
        if base is None:
            return None
        if item.name and f"{base}.{item.name}".strip(".") in self._paths:
            return self._paths[f"{base}.{item.name}".strip(".")]
        if item.level or item.name:
            return self._paths.get(base)
        name = base
        while name:
            if name in self._paths:
                return self._paths[name]
            name = name.rpartition(".")[0]
        return None

    def _base(self, path: str, item: Imported) -> str | None:
        """Returns the dotted name that an import begins at; ``None`` where it leads out."""
        if not item.level:
            return item.module
        parts = self.names[path].split(".")
        away = item.level - 1 if path.endswith("__init__.py") else item.level
        if away > len(parts):
            return None
        base = parts[: len(parts) - away]
        return ".".join((*base, item.module) if item.module else base)


def _name_of(path: PurePosixPath, packages: set[PurePosixPath]) -> str:
    """Returns what a file is called as a module, by the outermost package that it is in."""
    folder = path.parent
    top = folder
    while top in packages and top.parent != top:
        top = top.parent
    if top == folder or folder not in packages:
        # In no package: named from the top of the project, or from below a root.
        parts = path.with_suffix("").parts
        kept = parts[1:] if len(parts) > 1 and parts[0] in _ROOTS else parts
    else:
        kept = path.relative_to(top).with_suffix("").parts
    if kept[-1] == "__init__" and len(kept) > 1:
        kept = kept[:-1]
    return ".".join(kept)
