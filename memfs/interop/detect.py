"""Which importer reads what: by name, or by the look of a file or folder.

A folder is taken apart: the memory folders of agents in it, each JSON file, and the
Markdown that is left; so that one folder may hold several formats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memfs.errors import DataError
from memfs.interop.agent_memory import AgentMemory
from memfs.interop.conversation import Conversation
from memfs.interop.graph_lines import GraphLines
from memfs.interop.knowledge_graph import KnowledgeGraph
from memfs.interop.markdown_notes import MarkdownNotes
from memfs.interop.node_json import NodeJson
from memfs.interop.port import Importer
from memfs.interop.sources import JSON_FILES, MARKDOWN, SourceFile, printable, walk_source
from memfs.interop.timeline import Timeline
from memfs.interop.tracker import Tracker
from memfs.model.frozen import frozen
from memfs.model.problem import Problem

IMPORTERS: Final[tuple[Importer, ...]] = (
    AgentMemory(),
    MarkdownNotes(),
    KnowledgeGraph(),
    NodeJson(),
    Conversation(),
    Tracker(),
    Timeline(),
    GraphLines(),
)
"""One line a format."""
AUTO: Final = "auto"
FORMATS: Final = (AUTO, *(importer.name for importer in IMPORTERS))
_AGENT_MEMORY, _NOTES = IMPORTERS[:2]
_SURE: Final = 0.5


class ImportPathError(DataError):
    """There is nothing to import at the path."""

    code = "import.not-found"


class UnknownFormatError(DataError):
    """No importer knows what stands at the path, or the name of a format is wrong."""

    code = "import.unknown-format"


@frozen(kw_only=False)
class Part:
    """What one importer reads.

    Attributes:
        importer: The importer.
        path: A file or folder.
        below: Where ``path`` stands under what the person named, with a final slash.
    """

    importer: Importer
    path: Path
    below: str = ""


def find_parts(path: Path, format_name: str = AUTO) -> tuple[tuple[Part, ...], tuple[Problem, ...]]:
    """Returns what is to be read at ``path``, in order, and what cannot be read.

    Raises:
        ImportPathError: Nothing is there.
        UnknownFormatError: No such format, or none fits.
    """
    try:
        path.stat()
    except OSError as error:
        message = f"expected a file or folder: {error.strerror}"
        raise ImportPathError(message, path=printable(str(path))) from error
    if format_name != AUTO:
        return (Part(_importer_named(format_name), path),), ()
    if path.is_dir():
        parts, problems = _parts_of_folder(path)
    else:
        parts, problems = _parts_of_file(path), ()
    if not parts and not problems:
        raise UnknownFormatError(
            "expected a format that an importer knows, got none",
            path=printable(str(path)),
            hint=f"name it with --format: {', '.join(FORMATS[1:])}",
        )
    return parts, problems


def _importer_named(name: str) -> Importer:
    for importer in IMPORTERS:
        if importer.name == name:
            return importer
    raise UnknownFormatError(f"expected a format of {', '.join(FORMATS)}, got {name!r}")


def _parts_of_file(path: Path, below: str = "") -> tuple[Part, ...]:
    scored = [(importer.detect(path), importer) for importer in IMPORTERS]
    score, importer = max(scored, key=lambda pair: pair[0])
    return (Part(importer, path, below),) if score >= _SURE else ()


def _parts_of_folder(root: Path) -> tuple[tuple[Part, ...], tuple[Problem, ...]]:
    parts: list[Part] = []
    problems: list[Problem] = []
    memories = _MemoryFolders(root)
    for entry in walk_source(root, MARKDOWN | JSON_FILES):
        if isinstance(entry, Problem):
            if memories.above(Path(entry.path)) is None:
                problems.append(entry)
            continue
        below = entry.relative.removesuffix(printable(entry.path.name))
        if entry.path.suffix.lower() in MARKDOWN:
            memory = memories.above(entry.path)
            part = Part(_NOTES, entry.path, below) if memory is None else memories.part(memory)
            if part not in parts[-1:]:
                parts.append(part)
        elif found := _parts_of_file(entry.path, below):
            parts += found
        else:
            problems.append(_unknown(entry))
    seen = dict.fromkeys(parts)
    return tuple(seen), tuple(problems)


def _unknown(file: SourceFile) -> Problem:
    message = "expected JSON in a format that an importer knows, got something else"
    hint = f"name it with --format: {', '.join(FORMATS[1:])}"
    return Problem(file.shown, 0, 0, "import.unknown-format", message, hint)


class _MemoryFolders:
    """Finds the outermost memory folder of an agent above a file, looking at each folder once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Path, bool] = {}

    def above(self, path: Path) -> Path | None:
        inside = path.relative_to(self._root).parts[:-1]
        folders = [self._root.joinpath(*inside[:depth]) for depth in range(len(inside) + 1)]
        return next((folder for folder in folders if self._is_memory(folder)), None)

    def part(self, folder: Path) -> Part:
        inside = printable(folder.relative_to(self._root).as_posix())
        return Part(_AGENT_MEMORY, folder, "" if inside == "." else f"{inside}/")

    def _is_memory(self, folder: Path) -> bool:
        if folder not in self._known:
            self._known[folder] = _AGENT_MEMORY.detect(folder) > _SURE
        return self._known[folder]
