"""Makes a survey of the files of a project: its parts, what bears on what, and what flows where.

Pure: the same files give the same survey, in any order. Only what can be read off the files is
said, in words of this build around names of theirs; no sentence of the project is taken over.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from memfs.domains.roles.survey.survey_files import Files
from memfs.domains.roles.survey.survey_manifests import Manifest, mentioned, read_manifest
from memfs.domains.roles.survey.survey_modules import Modules
from memfs.domains.roles.survey.survey_python import Module, read_module
from memfs.domains.roles.survey.survey_resources import resources_of
from memfs.model.digests import blob_id
from memfs.model.role import Profile, RepoRelation
from memfs.model.survey import Bond, Part, Survey
from memfs.policy.role_survey import (
    DOCUMENTS,
    LANGUAGES,
    MANIFESTS,
    MOST_BONDS,
    MOST_PARTS,
    MOST_SEAMS,
    MOST_SOURCES,
    claim_line,
    is_tellable,
    listed,
)

Key = tuple[str, str, str]
_RANK: Final = (
    RepoRelation.CONTAINS,
    RepoRelation.CONFIGURES,
    RepoRelation.FLOWS_TO,
    RepoRelation.WRITES,
    RepoRelation.READS,
    RepoRelation.CALLS,
    RepoRelation.TESTS,
    RepoRelation.IMPORTS,
    RepoRelation.DOCUMENTS,
)
"""Where there are more bonds than are kept, those that come first stay."""
_MOST_HELD: Final = 20 * MOST_BONDS
"""So many are collected before those that are kept are chosen."""
_ARCHITECTURE: Final = Profile.REPO_ARCHITECTURE
_FIT: Final = "Does what it says still fit the tree?"
_WITH_TESTS: Final = "Do the tests that import it still pass?"
_WITHOUT: Final = "Nothing under test imports it: what shows that it works?"
_CHANGED: Final = "What imports it, and the tests that do, are looked at with any change of it"


def _never() -> bool:
    return False


def survey(
    files: Files, is_late: Callable[[], bool] = _never, is_over: Callable[[], bool] = _never
) -> Survey:
    """Surveys what was read of a project.

    Args:
        files: What was read.
        is_late: Whether no further file is to be parsed; what is left then is counted.
        is_over: Whether what was parsed is not to be compared any further; likewise.
    """
    made = _Surveyor(files, is_late, is_over)
    made.modules()
    made.manifests()
    made.documents()
    made.folders()
    made.resources()
    return made.survey()


class _Surveyor:
    """Collects parts and bonds."""

    def __init__(
        self, files: Files, is_late: Callable[[], bool], is_over: Callable[[], bool]
    ) -> None:
        self._files = files
        self._left_out = Counter(files.left_out)
        self._unread = set(files.unread)
        self._parts: dict[Key, Part] = {}
        self._bonds: dict[tuple[Key, str, Key], Bond] = {}
        read = dict(self._parsed(is_late))
        self._is_over = is_over
        self._known = Modules(read, self._unread, is_over)
        self._keys: dict[str, Key] = {}

    def _parsed(self, is_late: Callable[[], bool]) -> Iterator[tuple[str, Module]]:
        for name in sorted(self._files.contents):
            if not name.endswith(".py"):
                continue
            late = is_late()
            module = None if late else read_module(self._files.contents[name])
            if module is None:
                self._left_out["time" if late else "not parsed"] += 1
                self._unread.add(name)
            else:
                yield name, module

    def survey(self) -> Survey:
        """Returns what was collected, within bounds, with the digests of what it was read off."""
        keys = sorted(self._parts)
        kept = {key: self._parts[key] for key in keys[:MOST_PARTS]}
        if len(keys) > MOST_PARTS:
            self._left_out["parts"] += len(keys) - MOST_PARTS
        standing = [b for b in self._bonds.values() if b.start in kept and b.end in kept]
        bonds = sorted(standing, key=lambda b: (_RANK.index(b.relation), b.start, b.end))
        if len(bonds) > MOST_BONDS:
            self._left_out["edges"] += len(bonds) - MOST_BONDS
        contents = self._files.contents
        return Survey(
            parts=kept,
            bonds=tuple(bonds[:MOST_BONDS]),
            digests={name: str(blob_id(contents[name])) for name in sorted(contents)},
            looked_at=len(contents),
            left_out=dict(sorted(self._left_out.items())),
            unread=frozenset(self._unread),
        )

    # Python --------------------------------------------------------------------------------

    def modules(self) -> None:
        """Collects modules, packages and tests, and what they import, contain and test."""
        tested = self._known.tested()
        for path, module in self._known.by_path.items():
            name = self._known.names[path]
            if self._is_over():
                # What is tested by what is not known to the end: nothing is said of it.
                self._left_out["time"] += 1
                self._unread.add(path)
                continue
            if self._known.is_test(path):
                part = self._test_part(path, module)
            else:
                part = self._module_part(path, name, module, sorted(tested.get(path, ())))
            self._keys[path] = self._take(part)
        for path in self._keys:
            self._join(path)
        if self._known.by_path and self._is_over():
            # What imports what was not looked at to the end.
            self._left_out["edges"] += 1

    def _join(self, path: str) -> None:
        start = self._keys[path]
        own = self._known.names[path]
        for other in self._known.inside(path):
            claim = f"{own} contains {self._known.names[other]}"
            self._bond(RepoRelation.CONTAINS, start, self._keys.get(other), claim, other)
        is_test = self._known.is_test(path)
        for other in self._known.imported(path):
            # That a test imports what it tests is said once.
            if not is_test or self._known.is_test(other):
                claim = f"{own} imports {self._known.names[other]}"
                self._bond(RepoRelation.IMPORTS, start, self._keys.get(other), claim, path)
        if is_test:
            for other in self._known.tried(path):
                claim = f"{path} tests {self._known.names[other]}, which it imports"
                self._bond(RepoRelation.TESTS, start, self._keys.get(other), claim, path, 0.7)

    def _module_part(self, path: str, name: str, module: Module, seams: list[str]) -> Part:
        is_package = path.endswith("__init__.py")
        offered = tuple(filter(is_tellable, module.offered))
        sort = "package" if is_package else "module"
        held = len(self._known.inside(path))
        says = f"defines {listed(offered)}" if offered else "defines nothing that others use"
        if is_package:
            says = f"contains {held} parts" + (f" and {says}" if offered else "")
        return Part(
            profile=_ARCHITECTURE,
            path=path,
            symbol=f"{sort}:{name}",
            claim=claim_line(f"The {sort} {name} {says}"),
            question=_WITH_TESTS if seams else _WITHOUT,
            implication=_CHANGED,
            sources=(path,),
            seams=tuple(seams[:MOST_SEAMS]),
            tags=("python", sort),
            salience=0.7 if is_package else 0.5,
        )

    def _test_part(self, path: str, module: Module) -> Part:
        tried = tuple(self._known.names[other] for other in self._known.tried(path))
        says = f"tests {listed(tried)}" if tried else "imports nothing of the project"
        number = f"{module.tests} tests" if module.tests != 1 else "1 test"
        return Part(
            profile=_ARCHITECTURE,
            path=path,
            symbol=f"tests:{path}",
            claim=claim_line(f"{path} holds {number} and {says}"),
            question="Does it pass?",
            implication="It is run with any change of what it imports",
            sources=(path,),
            seams=(path,),
            tags=("python", "tests"),
            salience=0.4,
        )

    # Everything else -----------------------------------------------------------------------

    def manifests(self) -> None:
        """Collects the files that say how the project is built, run and tested."""
        for path in self._named(MANIFESTS):
            base = PurePosixPath(path).name.lower()
            found = read_manifest(base, self._files.contents[path])
            key = self._take(_manifest_part(path, found))
            for other, claim in self._configured(path, found):
                self._bond(RepoRelation.CONFIGURES, key, self._keys.get(other), claim, path)

    def _configured(self, path: str, found: Manifest) -> Iterable[tuple[str, str]]:
        folder = PurePosixPath(path).parent.as_posix()
        for other in self._known.tops(folder if folder != "." else ""):
            yield other, f"{path} configures {self._known.names[other]}"
        for name in found.starts:
            started = self._known.find(name)
            if started is not None:
                yield started, f"{path} starts {name} by a command"

    def documents(self) -> None:
        """Collects the documents that name modules of the project."""
        names = {name: path for path, name in self._known.names.items()}
        for path in self._files.contents:
            if PurePosixPath(path).suffix.lower() not in DOCUMENTS:
                continue
            told = mentioned(self._files.contents[path], names)
            if not told:
                continue
            key = self._take(_document_part(path, told))
            for name in told:
                claim = f"{path} names {name}"
                end = self._keys.get(names[name])
                self._bond(RepoRelation.DOCUMENTS, key, end, claim, path, 0.7)

    def folders(self) -> None:
        """Collects the folders that hold files of other languages, each with its files counted."""
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path in self._files.contents:
            place = PurePosixPath(path)
            language = LANGUAGES.get(place.suffix.lower())
            if language is not None and place.name.lower() not in MANIFESTS:
                found[place.parent.as_posix(), language].append(path)
        for (folder, language), paths in sorted(found.items()):
            self._take(_folder_part(folder, language, sorted(paths)))

    def resources(self) -> None:
        """Collects what modules read and write, and which of them hand something to which."""
        read = {
            path: module
            for path, module in self._known.by_path.items()
            if path in self._keys and not self._known.is_test(path)
        }
        parts, bonds = resources_of(read, self._known.names, self._keys)
        for part in parts:
            self._take(part)
        for bond in bonds:
            self._bonds.setdefault((bond.start, str(bond.relation), bond.end), bond)

    # Taking in -----------------------------------------------------------------------------

    def _named(self, names: Iterable[str]) -> list[str]:
        wanted = frozenset(names)
        return [path for path in self._files.contents if PurePosixPath(path).name.lower() in wanted]

    def _take(self, part: Part) -> Key:
        self._parts.setdefault(part.key, part)
        return part.key

    def _bond(
        self,
        relation: RepoRelation,
        start: Key,
        end: Key | None,
        claim: str,
        source: str,
        confidence: float = 0.9,
    ) -> None:
        if end is None or start == end:
            # What could not be read is named and is no part.
            return
        if len(self._bonds) >= _MOST_HELD:
            self._left_out["edges"] += 1
            return
        bond = Bond(
            relation=relation,
            start=start,
            end=end,
            claim=claim_line(claim),
            source=source,
            confidence=confidence,
        )
        self._bonds.setdefault((start, str(relation), end), bond)


def _manifest_part(path: str, found: Manifest) -> Part:
    parts = []
    if found.name:
        parts.append(f"names the project {found.name}")
    if found.needs:
        parts.append(f"needs {found.needs} others")
    if found.targets:
        parts.append(f"makes {listed(found.targets)}")
    if found.testers:
        parts.append(f"sets up {listed(found.testers)}")
    says = ", ".join(parts) or "is there"
    return Part(
        profile=_ARCHITECTURE,
        path=path,
        symbol=f"setup:{path}",
        claim=claim_line(f"{path} {says}"),
        question=_FIT,
        implication="How the project is built, run and tested is looked up in it",
        sources=(path,),
        tags=("setup", *(f"runs:{name}" for name in found.testers)),
        salience=0.6,
    )


def _document_part(path: str, told: tuple[str, ...]) -> Part:
    return Part(
        profile=_ARCHITECTURE,
        path=path,
        symbol=f"document:{path}",
        claim=claim_line(f"{path} names {listed(told)}"),
        question=_FIT,
        implication="It is brought up with any change of what it names",
        sources=(path,),
        tags=("document",),
        salience=0.4,
        confidence=0.7,
    )


def _folder_part(folder: str, language: str, paths: list[str]) -> Part:
    number = f"{len(paths)} {language} files" if len(paths) != 1 else f"1 {language} file"
    place = folder if folder != "." else "the top"
    watched = paths[:MOST_SOURCES]
    beyond = len(paths) - len(watched)
    asks = "What do they do? They were counted, not read"
    return Part(
        profile=_ARCHITECTURE,
        path=folder,
        symbol=f"folder:{folder}:{language}",
        claim=claim_line(f"{place} holds {number}"),
        question=f"{asks}, and {beyond} of them are not watched" if beyond else asks,
        implication="They are read before anything is said of them",
        sources=tuple(watched),
        tags=("folder",),
        salience=0.4,
    )
