"""``memfs node`` and ``memfs profile`` as a script and an agent call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfs.cli.commands.node import DOMAIN_NAMES
from memfs.domains.nodes.routing import DOMAINS
from tests.support.memory import new_project
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")
LONG = "".join(f"Block {number} of the rows is read.\n" for number in range(90))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("nodes"))


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def test_a_node_from_its_first_line_to_its_end(project: Path) -> None:
    def memfs(*words: str, stdin: str = "") -> Ended:
        return run_memfs("node", *words, *PERSON, cwd=project, stdin=stdin)

    saved = _json(
        memfs("save", "Heron imports orders from /srv/heron", "--content", "-", "--tag", "core",
              "--importance", "8", "--session", "ses-1", "--json", stdin=LONG)
    )  # fmt: skip
    ref = saved["target"]
    assert saved["data"]["score"]["total"] == 8
    again = memfs("save", "heron imports orders from /srv/heron")
    assert (again.status, ref in again.output) == (0, True)
    low = memfs("save", "Lunch was late", "--importance", "1")
    assert low.status == 1
    assert "node.below-score" in low.errors

    found = memfs("query", "where is Heron?", "--explain")
    assert found.output.splitlines()[0] == "path  /srv/heron"
    assert ref[-6:] in found.output.splitlines()[1]
    assert "text 0." in found.output
    nothing = memfs("query", "zebras of Zanzibar")
    assert (nothing.status, nothing.output) == (0, "")
    assert "nothing that is kept" in nothing.errors

    first = memfs("expand", ref)
    assert f"memfs node expand {ref} --page 2" in first.errors
    assert "open it with: memfs session open ses-1" in first.output
    pages = [_json(memfs("expand", ref, "--page", str(n), "--json")) for n in (1, 2)]
    assert "".join(page["page"]["text"] for page in pages) == LONG
    assert [page["next_page"] for page in pages] == [2, None]
    assert memfs("expand", ref, "--page", "3").status == 2

    assert memfs("update", ref, "--importance", "3", "--drop-tag", "core").status == 0
    assert memfs("append", ref, "And \x1b[31mred.").status == 1
    assert memfs("append", ref, "-", stdin="And the last.").status == 0
    (listed,) = _json(memfs("list", "--json"))
    assert (listed["importance"], listed["tags"], listed["version"]) == (3, [], 3)
    assert _json(memfs("stats", "--json"))["nodes"] == 1
    assert "duplicate 0.87, link 0.62 (at most 3)" in memfs("stats").output

    assert memfs("delete", ref, "--why", "moved").status == 0
    assert "no node is kept" in memfs("list").errors


def test_what_is_wanted_of_domains_is_shown_for_each(project: Path) -> None:
    for text, domain in (("Type hints", "python"), ("Dry runs", "cli"), ("pytest only", "python")):
        run_memfs("node", "save", text, "--domain", domain, *PERSON, cwd=project)
    found = _json(run_memfs("node", "domains", "a python script with a CLI", "--json", cwd=project))

    assert [(node["domain"], node["content"]) for node in found] == [
        ("python", "- Type hints\n- pytest only\n"),
        ("cli", "- Dry runs\n"),
    ]
    assert "nothing is kept" in run_memfs("node", "domains", "lunch", cwd=project).errors


def test_the_profile_is_set_and_printed_as_it_is(project: Path, tmp_path: Path) -> None:
    def memfs(*words: str) -> Ended:
        return run_memfs("profile", *words, *PERSON, cwd=project)

    assert memfs("set", "editor", "vim").status == 0
    file = tmp_path / "old.md"
    file.write_text("<!-- PROFILE START -->\nname: Ana\neditor: emacs\n<!-- PROFILE END -->\n")
    assert memfs("set", "--from", str(file)).status == 0
    printed = memfs("get")

    assert (printed.output, printed.errors) == ("editor: emacs\nname: Ana\n", "2 of 12 lines\n")
    assert [line["key"] for line in _json(memfs("get", "--json"))["lines"]] == ["editor", "name"]
    assert memfs("set", "editor").status == 2
    assert memfs("set", "a", "b", "--from", str(file)).status == 2
    assert memfs("set", "python", "typed").status == 1
    started = run_memfs("context", "--session-start", "--opening", "hello", cwd=project)
    assert "> editor: emacs\n> name: Ana\n" in started.output


def test_the_domains_that_can_be_typed_are_those_there_are() -> None:
    assert DOMAIN_NAMES == DOMAINS
