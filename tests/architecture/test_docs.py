"""The docs are honest: generated pages are current, and what is unbuilt says so.

Each page has a line ``Status: built`` or ``Status: planned`` before its first section; a
section may differ by ``(planned)`` in its heading. What a built section names must exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from docs.generate import DOCS, PAGES
from memfs.cli.catalogue import COMMANDS
from memfs.cli.entry import root
from tests.conftest import ROOT

HAND_WRITTEN = sorted(
    path for path in (ROOT / "README.md", *DOCS.rglob("*.md")) if path.name != "CHANGELOG.md"
)
_STATUS = re.compile(r"^Status: .*\b(built|planned)\b", re.MULTILINE)
_COMMAND = re.compile(r"(?:^\$ |`)memfs ([a-z]+(?:-[a-z]+)*)(?: ([a-z]+))?([^`\n]*)", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_CODE_PATH = re.compile(r"`((?:memfs|tests|docs|fixtures|benchmarks|templates|hooks)/[\w./-]+)`")
_LINK = re.compile(r"\]\(([^)#:\s]+)\)")


@dataclass(frozen=True, slots=True)
class Part:
    """One section of a page and whether it describes what is built."""

    page: Path
    heading: str
    text: str
    is_built: bool

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)} § {self.heading}"


def _parts() -> Iterator[Part]:
    for page in HAND_WRITTEN:
        text = page.read_text(encoding="utf-8")
        status = _STATUS.search(text)
        is_page_built = status is not None and status[1] == "built"
        for chunk in re.split(r"^(?=#{1,3} )", text, flags=re.MULTILINE):
            heading = chunk.partition("\n")[0].lstrip("# ")
            yield Part(page, heading, chunk, is_page_built and "(planned)" not in heading)


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_page_says_whether_it_is_built_or_planned(page: Path) -> None:
    first_section = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]

    assert _STATUS.search(first_section)


def test_a_built_section_names_only_commands_and_options_that_exist() -> None:
    unknown = [
        f"{part}: memfs {match[1]} {match[2] or ''} {option}".strip()
        for part in _parts()
        if part.is_built
        for match in _COMMAND.finditer(part.text)
        # Behind a lone -- stands another program's command.
        for option in (_OPTION.findall(match[3].partition(" -- ")[0]) or [""])
        if not _is_known(match[1], match[2] or "", option)
    ]

    assert unknown == []


def _is_known(name: str, child: str, option: str) -> bool:
    if name not in COMMANDS:
        return False
    command = root.get_command(click.Context(root), name)
    if isinstance(command, click.Group) and child in command.commands:
        command = command.commands[child]
    assert command is not None
    known = {spelling for parameter in command.params for spelling in parameter.opts}
    return not option or option in known | {"--help"}


def test_a_planned_section_names_no_command_that_is_there_already() -> None:
    stale = [
        f"{part}: memfs {match[1]}"
        for part in _parts()
        if not part.is_built
        for match in _COMMAND.finditer(part.text)
        if match[1] in COMMANDS
    ]

    assert stale == []


def test_a_built_section_names_only_files_that_exist() -> None:
    missing = [
        f"{part}: {match[1]}"
        for part in _parts()
        if part.is_built
        for match in _CODE_PATH.finditer(part.text)
        if "<" not in match[1] and not (ROOT / match[1]).exists()
    ]

    assert missing == []


def test_links_lead_somewhere() -> None:
    broken = [
        f"{part}: {match[1]}"
        for part in _parts()
        for match in _LINK.finditer(part.text)
        if not (part.page.parent / match[1]).exists()
    ]

    assert broken == []


def test_the_hooks_for_other_repositories_run_commands_that_exist() -> None:
    hooks = YAML(typ="safe", pure=True).load((ROOT / ".pre-commit-hooks.yaml").read_text())

    assert [hook["id"] for hook in hooks] == [
        "memfs-validate",
        "memfs-secrets",
        "memfs-projections",
    ]
    for hook in hooks:
        program, name, option = hook["entry"].split()
        assert program == "memfs"
        assert _is_known(name, "", option)


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"


def test_every_command_is_in_the_reference() -> None:
    page = PAGES["reference/cli.md"]()

    assert [name for name in COMMANDS if f"### memfs {name}\n" not in page] == []
