"""Checks of files that lie in no store: what the hooks for other repositories run.

No store is opened, nothing is written, and the value of a secret is never printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from memfs.model.limits import FILE_BYTES
from memfs.model.problem import Problem

_PROJECTIONS: Final = frozenset({"MEMORY.md", "core.md"})


def check_records(paths: Sequence[Path]) -> Iterator[Problem]:
    """Yields the problems of record files; a file without a kind is not a record."""
    from memfs.app.registry import REGISTRY
    from memfs.formats.record_codec import decode_record

    for path in paths:
        content = _content(path)
        if isinstance(content, Problem):
            yield content
        elif _claims_to_be_a_record(content):
            yield from decode_record(
                content, path=path.as_posix(), registry=REGISTRY, draft=True
            ).problems


def _claims_to_be_a_record(content: bytes) -> bool:
    """Tells a record from any other Markdown or JSON: its envelope names a kind."""
    head = content.removeprefix(b"\xef\xbb\xbf")[:4096]
    if head.startswith(b"---"):
        return b"\nkind:" in head.replace(b"\r\n", b"\n")
    return head.lstrip().startswith(b"{") and b'"kind"' in head


def check_secrets(paths: Sequence[Path]) -> Iterator[Problem]:
    """Yields one problem for each secret, with its family and line."""
    from memfs.policy.screening import scan_secrets

    for path in paths:
        content = _content(path)
        if isinstance(content, Problem):
            yield content
            continue
        text = content.decode("utf-8", "replace")
        for finding in scan_secrets(text):
            if finding.is_held:
                continue
            yield Problem(
                path.as_posix(),
                text.count("\n", 0, finding.start) + 1,
                0,
                "screening.secret",
                f"expected no secret, got what looks like one ({finding.family})",
                "remove it, and change it where it is used",
            )


def check_projections(paths: Sequence[Path]) -> Iterator[Problem]:
    """Yields a problem for each file that memfs generates and anybody can make again."""
    for path in paths:
        if path.name in _PROJECTIONS or "views" in path.parts[:-1]:
            yield Problem(
                path.as_posix(),
                0,
                0,
                "projection.tracked",
                "expected no generated file, got one",
                "git rm --cached it and add it to .gitignore",
            )


def _content(path: Path) -> bytes | Problem:
    place = path.as_posix()
    try:
        size = path.stat().st_size
        if size > FILE_BYTES:
            return Problem(
                place, 0, 0, "file.too-large", f"expected at most {FILE_BYTES} bytes, got {size}"
            )
        return path.read_bytes()
    except OSError as error:
        return Problem(place, 0, 0, "file.unreadable", error.strerror or "cannot be read")
