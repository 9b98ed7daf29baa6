"""What an installer did, as text: one line a file, what has to be said, and the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memfs.cli.invocation import Invocation
from memfs.cli.terminal import columns, printable, say, write, write_json
from memfs.cli.values import result_value
from memfs.model.result import Result
from memfs.model.values import JsonValue


def respond_installed(invocation: Invocation, result: Result, *, with_diff: bool) -> int:
    """Writes what was done, or why not, and returns the exit number.

    Args:
        invocation: How to answer.
        result: Of an installer.
        with_diff: Show what changes in each file.
    """
    if invocation.is_json:
        write_json(result_value(result))
        return result.exit_status
    files = list(_objects(result.data.get("files")))
    if files:
        rows = [
            (str(file["verb"]), _short(str(file["path"]), result), ", ".join(_texts(file["parts"])))
            for file in files
        ]
        write(columns([tuple(map(printable, row)) for row in rows]))
    if with_diff:
        for file in files:
            if file["diff"]:
                write(printable(str(file["diff"]), keep_lines=True))
    _say_all(result, files)
    return result.exit_status


def _say_all(result: Result, files: list[Mapping[str, JsonValue]]) -> None:
    say(printable(result.message))
    for problem in _texts(result.data.get("problems")):
        say("  " + printable(problem, keep_lines=True))
    for file in files:
        for note in _texts(file["notes"]):
            say(printable(f"note: {_short(str(file['path']), result)}: {note}"))
    for note in _texts(result.data.get("notes")):
        say(printable(f"note: {note}"))
    copies = [str(file["copy"]) for file in files if file["copy"]]
    if copies:
        say(printable(f"copies of what was there: {', '.join(copies)}"))


def _short(path: str, result: Result) -> str:
    """Returns a path as seen from the folder that the installation is for."""
    folder = str(result.data.get("folder", ""))
    return path.removeprefix(folder + "/") if folder else path


def _objects(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    for item in value if isinstance(value, list | tuple) else ():
        if isinstance(item, Mapping):
            yield item


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
