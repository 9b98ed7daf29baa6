"""The commands as processes: what is printed where, what --json holds, how they end."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import clean_environment
from tests.support.processes import Ended, run_git, run_memfs, run_on_terminal

PROGRAM = f"{sys.executable} -m memfs"
PERSON = ("--as", "user:ana", "--yes")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose store lets scripts act for ana."""
    made = run_memfs("init", "--scripted", "--project", "datasync", *PERSON, cwd=tmp_path)
    assert made.status == 0, made.errors
    return tmp_path


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def _remember(project: Path, text: str, *options: str) -> str:
    answer = _json(run_memfs("remember", text, *options, *PERSON, "--json", cwd=project))
    assert answer["status"] == "done"
    return str(answer["target"])


def test_outside_any_store_a_command_says_where_it_looked(tmp_path: Path) -> None:
    ended = run_memfs("list", cwd=tmp_path)

    assert ended.status == 10
    assert ended.output == ""
    assert "store.not-found" in ended.errors
    assert "hint: " in ended.errors


def test_an_error_with_json_is_one_document(tmp_path: Path) -> None:
    ended = run_memfs("list", "--json", cwd=tmp_path)

    assert ended.status == 10
    assert json.loads(ended.output)["error"]["code"] == "store.not-found"
    assert ended.errors == ""


def test_init_twice_changes_nothing(project: Path) -> None:
    again = _json(run_memfs("init", "--json", cwd=project))

    assert again["status"] == "nothing"


def test_a_store_is_found_from_a_folder_below_and_by_option(project: Path) -> None:
    identity = _remember(project, "Deploys go through the blue pipeline", "--kind", "fact")
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()

    assert _json(run_memfs("list", "--json", cwd=below))[0]["id"] == identity
    for arguments in (("--store", str(project), "list"), ("list", "--store", str(project))):
        assert _json(run_memfs(*arguments, "--json", cwd=elsewhere))[0]["id"] == identity


def test_a_record_has_the_same_fields_everywhere(project: Path) -> None:
    identity = _remember(
        project, "Use tabs", "--kind", "preference", "--tag", "style", "--subject", "indent"
    )

    shown = _json(run_memfs("show", identity[-6:], "--json", cwd=project))
    listed = _json(run_memfs("list", "--json", cwd=project))

    assert listed == [shown]
    assert shown["origin"]["principal"] == "user:ana"
    assert (shown["id"], shown["kind"], shown["version"]) == (identity, "preference", 1)
    assert (shown["tags"], shown["subject"]) == (["style"], "indent")
    assert shown["body"] == "Use tabs\n"


def test_text_can_come_from_stdin(project: Path) -> None:
    ended = run_memfs("remember", "-", *PERSON, cwd=project, stdin="From a pipe\n")

    assert ended.status == 0
    assert "From a pipe" in run_memfs("list", cwd=project).output


def test_a_byte_order_mark_from_a_pipe_is_no_part_of_the_text(project: Path) -> None:
    ended = run_memfs("remember", *PERSON, "--json", cwd=project, stdin="\ufeffFrom a pipe\n")

    assert _json(ended)["status"] == "done"
    assert _json(run_memfs("list", "--json", cwd=project))[0]["body"] == "From a pipe\n"


def test_a_proposal_waits_and_its_json_says_why(project: Path) -> None:
    answer = _json(
        run_memfs("propose", "CI needs Node 20", "--as", "agent:builder", "--json", cwd=project)
    )

    assert answer["status"] == "waiting"
    assert answer["reasons"][0]["code"]
    (waiting,) = _json(run_memfs("review", "--json", *PERSON, cwd=project))
    assert waiting["title"] == "CI needs Node 20"
    assert waiting["origin"]["principal"] == "agent:builder"
    assert run_memfs("list", cwd=project).output == ""


def test_only_a_person_accepts(project: Path) -> None:
    run_memfs("propose", "CI needs Node 20", "--as", "agent:builder", cwd=project)

    ended = run_memfs("review", "accept", "--all", "--as", "agent:builder", cwd=project)

    assert ended.status == 30
    assert len(_json(run_memfs("review", "--json", *PERSON, cwd=project))) == 1


def test_an_agent_sees_only_what_it_proposed_itself(project: Path) -> None:
    run_memfs("propose", "CI needs Node 20", "--as", "agent:builder", cwd=project)

    own = _json(run_memfs("review", "--as", "agent:builder", "--json", cwd=project))
    other = run_memfs("review", "--as", "agent:other", cwd=project)

    assert [candidate["title"] for candidate in own] == ["CI needs Node 20"]
    assert (other.status, other.output) == (0, "")
    assert "agent:other may see" in other.errors


def test_accept_wants_ids_or_all(project: Path) -> None:
    assert run_memfs("review", "accept", *PERSON, cwd=project).status == 2
    assert run_memfs("review", "accept", "abcdef", "--all", *PERSON, cwd=project).status == 2


def test_a_script_is_nobody_else_than_whom_the_store_names(project: Path) -> None:
    ended = run_memfs("remember", "x y z", "--as", "user:eve", "--yes", cwd=project)

    assert ended.status == 30
    assert "access.not-scripted" in ended.errors


def test_an_unknown_record_is_a_conflict_of_names(project: Path) -> None:
    ended = run_memfs("show", "abcdef", cwd=project)

    assert ended.status == 40
    assert "conflict.unknown-record" in ended.errors


def test_a_refusal_ends_with_one_and_tells_no_secret(project: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    ended = run_memfs("remember", f"The token is {token}", *PERSON, cwd=project)

    assert ended.status == 1
    assert ended.output == ""
    assert "screening.secret" in ended.errors
    assert token not in ended.errors


def test_check_names_file_and_line_and_ends_with_one(project: Path) -> None:
    folder = project / ".memfs" / "records" / "note" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "twice.md").write_text("---\nkind: note\nkind: fact\n---\nTwice.\n")

    ended = run_memfs("check", cwd=project)

    assert ended.status == 1
    assert ended.output.startswith("records/note/2026-11/twice.md:3:")
    told = json.loads(run_memfs("check", "--json", cwd=project).output)
    (problem,) = told["problems"]
    assert told["links"] == {"broken": 0, "files": 0}
    assert (problem["path"], problem["line"]) == ("records/note/2026-11/twice.md", 3)


def test_an_empty_answer_does_not_say_that_memory_is_empty(project: Path) -> None:
    _remember(project, "Deploys go through the blue pipeline", "--kind", "fact")

    none = run_memfs("list", "--kind", "warning", cwd=project)
    unknown = run_memfs("list", "--kind", "gossip", cwd=project)

    assert (none.status, none.errors) == (0, "no record is like that\n")
    assert unknown.status == 2
    assert "warning" in unknown.errors


def test_one_problem_is_counted_as_one(project: Path) -> None:
    folder = project / ".memfs" / "records" / "fact" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\nkind: fact\nkind: fact\n---\nTwice.\n")

    assert run_memfs("check", cwd=project).errors == "1 error\n"


def test_links_that_lead_nowhere_are_one_line_and_no_problem(project: Path) -> None:
    _remember(project, "See [[zebra]], [[quagga]] and [[the barn]].", "--kind", "note")
    _remember(project, "See [[zebra]].", "--kind", "note", "--title", "The barn")

    told = run_memfs("check", cwd=project)
    listed = run_memfs("check", "--links", cwd=project)
    data = json.loads(run_memfs("check", "--links", "--json", cwd=project).output)

    line = "3 links in prose lead nowhere, in 2 files"
    assert (told.status, told.output) == (0, "")
    assert told.errors == f"{line}; list them with: memfs check --links\nno problems\n"
    assert (listed.status, listed.errors) == (0, f"{line}\nno problems\n")
    assert listed.output.count(": link.broken: ") == listed.output.count("  hint: ") == 3
    assert (data["problems"], data["links"]["broken"], data["links"]["files"]) == ([], 3, 2)
    assert [item["code"] for item in data["links"]["list"]] == ["link.broken"] * 3
    assert all(item["line"] and item["column"] for item in data["links"]["list"])
    assert run_memfs("check", "--links", "a.md", cwd=project).status == 2


def test_loose_files_are_checked_without_a_store(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    (tmp_path / "good.md").write_text("---\nkind: note\n---\nFine.\n")
    (tmp_path / "prose.md").write_text("# Not a record\n")
    (tmp_path / "bad.md").write_text(f"---\nkind: nothing\n---\nToken {token}\n")
    (tmp_path / "MEMORY.md").write_text("# Index\n")
    names = ("good.md", "prose.md", "bad.md", "MEMORY.md")

    validated = run_memfs("check", "--files", *names, cwd=tmp_path)
    screened = run_memfs("check", "--secrets", *names, cwd=tmp_path)
    generated = run_memfs("check", "--projections", *names, cwd=tmp_path)

    assert (validated.status, screened.status, generated.status) == (1, 1, 1)
    assert validated.output.startswith("bad.md:2:")
    assert screened.output.startswith("bad.md:4: screening.secret: ")
    assert token not in screened.output + screened.errors
    assert generated.output.startswith("MEMORY.md: projection.tracked: ")
    assert run_memfs("check", "--files", "good.md", "prose.md", cwd=tmp_path).status == 0


def test_status_counts_and_names_the_store(project: Path) -> None:
    _remember(project, "Use tabs", "--kind", "preference")
    run_memfs("propose", "CI needs Node 20", "--as", "agent:builder", cwd=project)

    page = run_memfs("status", *PERSON, cwd=project)
    data = _json(run_memfs("status", *PERSON, "--json", cwd=project))["data"]

    assert page.output.startswith("datasync\n  store    ")
    assert (data["records"], data["waiting"]) == ({"preference": 1}, 1)
    assert "Use tabs" not in page.output


def test_config_shows_one_setting_or_all(project: Path) -> None:
    assert run_memfs("config", "recall.budget_tokens", cwd=project).output == "1500\n"
    assert _json(run_memfs("config", "--json", cwd=project))["trust.scripted"] == ["user:ana"]
    assert run_memfs("config", "recall.colour", cwd=project).status == 2


def test_schema_prints_the_schema_of_a_kind(tmp_path: Path) -> None:
    schema = _json(run_memfs("schema", "preference", cwd=tmp_path))

    assert schema["title"] == "preference"
    assert run_memfs("schema", "nonsense", cwd=tmp_path).status == 2


def test_recall_answers_with_the_source_and_strip_takes_it_out_again(project: Path) -> None:
    identity = _remember(project, "Deploys go through the blue pipeline", "--kind", "fact")

    packet = run_memfs("recall", "how do deploys go", cwd=project)

    assert packet.status == 0
    assert "blue pipeline" in packet.output
    assert f"{identity}@1" in packet.output
    stripped = run_memfs("strip", cwd=project, stdin=f"before\n{packet.output}after\n")
    assert stripped.output == "before\nafter\n"


def test_strip_keeps_every_other_byte(tmp_path: Path) -> None:
    rest = b"caf\xe9\r\nsecond \xef\xbb\xbfline\r\n"
    file = tmp_path / "log.txt"
    file.write_bytes(rest + b"<memfs-packet>\r\nold\r\n</memfs-packet>\r\n" + rest)

    for arguments in (["strip", str(file)], ["strip"]):
        ended = subprocess.run(
            [sys.executable, "-m", "memfs", *arguments],
            input=file.read_bytes(),
            capture_output=True,
            cwd=tmp_path,
            timeout=60,
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert ended.stdout.replace(b"\r\n\r\n", b"\r\n") == rest + rest


def test_recall_in_json_has_the_parts_of_each_score(project: Path) -> None:
    identity = _remember(project, "Deploys go through the blue pipeline", "--kind", "fact")

    packet = _json(run_memfs("recall", "how do deploys go", "--json", cwd=project))

    assert packet["state"] == "ok"
    (card,) = packet["cards"]
    assert card["id"] == identity
    assert card["score"] == pytest.approx(sum(card["components"].values()), abs=1e-4)


def test_recall_may_abstain(project: Path) -> None:
    _remember(project, "Deploys go through the blue pipeline", "--kind", "fact")

    ended = run_memfs("recall", "zebra migration seasons", cwd=project)

    assert (ended.status, ended.output) == (0, "")
    assert ended.errors == "nothing in memory is close enough to that\n"


def test_a_person_at_a_terminal_needs_no_flag(tmp_path: Path, home: Path) -> None:
    environment = {**clean_environment(home), "NO_COLOR": "1", "USER": "ana"}
    for step in ("init", "remember 'Use tabs' --kind preference"):
        ended = run_on_terminal(f"{PROGRAM} {step}", cwd=tmp_path, env=environment)
        assert ended.status == 0, ended.output

    (record,) = _json(run_memfs("list", "--json", cwd=tmp_path))
    assert record["origin"]["channel"] == "terminal"
    assert record["origin"]["principal"] == "user:ana"


def test_an_agent_on_a_terminal_is_not_a_person(tmp_path: Path, home: Path) -> None:
    environment = {**clean_environment(home), "NO_COLOR": "1", "USER": "ana", "AI_AGENT": "1"}
    run_on_terminal(f"{PROGRAM} init", cwd=tmp_path, env=environment)

    ended = run_on_terminal(
        f"{PROGRAM} remember 'Use tabs' --kind preference", cwd=tmp_path, env=environment
    )

    assert "waits" in ended.output
    assert _json(run_memfs("list", "--json", cwd=tmp_path)) == []


def test_edit_hands_in_what_the_editor_saved(tmp_path: Path, home: Path) -> None:
    environment = {
        **clean_environment(home),
        "NO_COLOR": "1",
        "USER": "ana",
        "EDITOR": "sed -i s/tabs/spaces/",
    }
    run_on_terminal(f"{PROGRAM} init", cwd=tmp_path, env=environment)
    run_on_terminal(
        f"{PROGRAM} remember 'Use tabs' --kind preference", cwd=tmp_path, env=environment
    )
    (before,) = _json(run_memfs("list", "--json", cwd=tmp_path))

    ended = run_on_terminal(f"{PROGRAM} edit {before['id'][-6:]}", cwd=tmp_path, env=environment)

    assert ended.status == 0, ended.output
    (after,) = _json(run_memfs("list", "--json", cwd=tmp_path))
    assert (after["version"], after["body"]) == (2, "Use spaces\n")


def test_a_commit_by_hand_with_a_broken_record_is_refused_by_the_hook(project: Path) -> None:
    folder = project / ".memfs" / "records" / "note" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "broken.md").write_text("---\nkind: note\nkind: fact\n---\nTwice.\n")
    store = project / ".memfs"
    run_git("add", "-A", cwd=store)

    refused = run_git("commit", "-m", "by hand", cwd=store)

    assert refused.status != 0
    assert "broken.md:3" in refused.errors
    assert run_git("commit", "--no-verify", "-q", "-m", "by hand", cwd=store).status == 0
    assert _json(run_memfs("list", "--json", cwd=project)) == []


# A suite that runs in the background of a shell inherits that Ctrl-C is ignored.
_WITH_CTRL_C = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from memfs.cli.entry import run
run()
"""


def test_watch_tells_of_a_saved_file_and_ends_with_ctrl_c(project: Path) -> None:
    identity = _remember(project, "Use tabs", "--kind", "preference")
    shown = _json(run_memfs("show", identity, "--json", cwd=project))
    file = project / ".memfs" / shown["path"]
    watch = subprocess.Popen(
        [sys.executable, "-c", _WITH_CTRL_C, "watch", "--json"],
        cwd=project,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watch.stdout is not None

    file.write_text(file.read_text().replace("tabs", "spaces"))
    told = json.loads(watch.stdout.readline())
    watch.send_signal(signal.SIGINT)

    assert told["action"] == "reconcile"
    assert watch.wait(timeout=30) == 0
    (waiting,) = _json(run_memfs("review", "--json", *PERSON, cwd=project))
    assert (waiting["action"], waiting["record"]) == ("revise", identity)


def test_the_same_key_is_carried_out_once(project: Path) -> None:
    first = _remember(project, "Use tabs", "--kind", "preference", "--key", "once")

    again = _json(
        run_memfs(
            "remember", "Use tabs", "--kind", "preference", "--key", "once", *PERSON, "--json",
            cwd=project,
        )
    )  # fmt: skip

    assert again["status"] != "done" or again["target"] == first
    history = _json(run_memfs("history", first, *PERSON, "--json", cwd=project))
    assert [step["author"] for step in history] == ["user:ana"]
    assert history[0]["decision"].startswith("allow ")


def test_correcting_one_record_versions_no_other(project: Path) -> None:
    tabs = _remember(project, "Use tabs", "--kind", "preference", "--subject", "indent")
    other = _remember(project, "Use short lines", "--kind", "preference", "--subject", "lines")

    corrected = run_memfs("correct", tabs, "Use spaces", *PERSON, cwd=project)

    assert corrected.status == 0, corrected.errors
    listed = _json(run_memfs("list", "--json", cwd=project))
    assert {record["id"]: record["version"] for record in listed} == {tabs: 2, other: 1}


def test_an_earlier_version_can_still_be_shown_and_compared(project: Path) -> None:
    tabs = _remember(project, "Use tabs", "--kind", "preference")
    run_memfs("correct", tabs, "Use spaces", *PERSON, cwd=project)

    first = _json(run_memfs("show", f"{tabs}@1", *PERSON, "--json", cwd=project))
    difference = run_memfs("diff", tabs, "1", "2", *PERSON, cwd=project)

    assert (first["version"], first["body"]) == (1, "Use tabs\n")
    assert "-Use tabs\n+Use spaces\n" in difference.output
    history = _json(run_memfs("history", tabs, *PERSON, "--json", cwd=project))
    named = [step["records"][0] for step in history]
    assert named == [f"{tabs}@2", f"{tabs}@1"]


def test_everything_derived_comes_back_after_it_was_deleted(project: Path, home: Path) -> None:
    _remember(project, "Use tabs", "--kind", "preference")
    index = project / ".memfs" / "MEMORY.md"
    before = index.read_bytes()
    listed = run_memfs("list", "--json", cwd=project).output
    index.unlink()
    shutil.rmtree(home / ".cache")

    rebuilt = _json(run_memfs("rebuild", *PERSON, "--json", cwd=project))

    assert rebuilt["data"]["records"] >= 1
    assert index.read_bytes() == before
    assert run_memfs("list", "--json", cwd=project).output == listed


def test_a_store_holds_text_files_alone(project: Path) -> None:
    _remember(project, "Use tabs", "--kind", "preference")
    run_memfs("propose", "CI needs Node 20", "--as", "agent:builder", cwd=project)
    run_memfs("recall", "tabs", cwd=project)
    store = project / ".memfs"

    files = [path for path in store.rglob("*") if path.is_file() and ".git" not in path.parts]

    assert {path.name for path in files} >= {"README.md", "memfs.yaml", "MEMORY.md"}
    for path in files:
        assert "\0" not in path.read_text(encoding="utf-8")
        assert path.suffix in {".md", ".json", ".yaml", ""}


def test_lists_are_bounded_and_say_so(project: Path) -> None:
    for number in range(3):
        _remember(project, f"Claim number {number}", "--kind", "note")

    short = run_memfs("list", "--limit", "2", cwd=project)
    full = run_memfs("list", "--limit", "0", cwd=project)

    assert len(short.output.splitlines()) == 2
    assert short.errors == "the newest 2 are shown; --limit 0 lists all\n"
    assert (len(full.output.splitlines()), full.errors) == (3, "")


def test_search_shows_titles_and_show_the_layers_below(project: Path) -> None:
    folder = project / ".memfs" / "records" / "note" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "layers.md").write_text(
        "---\nkind: note\ntitle: The exporter\nsummary: It streams rows.\n"
        "abstract: Why it streams.\n---\nA long story about rows.\n"
    )
    accepted = run_memfs("review", "accept", "--all", *PERSON, cwd=project)
    assert accepted.status == 0, accepted.errors

    found = run_memfs("search", "exporter rows", cwd=project)
    (hit,) = _json(run_memfs("list", "--json", cwd=project))
    shown = run_memfs("show", hit["id"], cwd=project)

    assert "The exporter" in found.output
    assert "long story" not in found.output
    for layer in ("Summary: It streams rows.", "Abstract: Why it streams.", "A long story"):
        assert layer in shown.output


def test_doctor_names_mode_places_and_agreement_and_no_content(project: Path) -> None:
    _remember(project, "The swordfish swims at noon", "--kind", "note")
    run_memfs("recall", "swordfish", cwd=project)

    page = run_memfs("doctor", *PERSON, cwd=project)
    facts = _json(run_memfs("doctor", *PERSON, "--json", cwd=project))

    assert page.status == 0, page.output
    assert "swordfish" not in page.output + page.errors + json.dumps(facts)
    assert facts["mode"] == "enforced"
    assert facts["store"] == str(project / ".memfs")
    assert facts["is_agreed"] is True
    assert facts["problems"] == []


def test_everything_that_was_said_arrives_before_the_process_ends(project: Path) -> None:
    words = " ".join(f"word{number}" for number in range(6000))
    identity = _remember(project, f"A long one.\n\n{words}", "--kind", "note")

    shown = run_memfs("show", identity, cwd=project)

    assert "word0 " in shown.output
    assert shown.output.endswith("word5999\n")


def test_a_reader_that_leaves_early_breaks_nothing(project: Path) -> None:
    for number in range(5):
        _remember(project, f"Claim number {number}", "--kind", "note")

    ended = subprocess.run(
        f"{PROGRAM} list --json | head -c 1; {PROGRAM} status >/dev/full",
        shell=True,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ended.stdout == "["
    assert "Traceback" not in ended.stderr


def test_a_full_disk_behind_the_output_is_named_and_is_no_bug(project: Path) -> None:
    ended = subprocess.run(
        f"{PROGRAM} status >/dev/full",
        shell=True,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (ended.returncode, ended.stderr.split(":")[0]) == (1, "system.refused")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_bug(project: Path, closed: str) -> None:
    _remember(project, "Deploys go through the blue pipeline", "--kind", "fact")

    ended = subprocess.run(
        f"{PROGRAM} list {closed}",
        shell=True,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert ("blue pipeline" in ended.stdout) is (">&-" not in closed.replace("2>&-", ""))


def test_talk_that_nobody_can_hear_changes_no_exit_number(project: Path) -> None:
    ended = subprocess.run(f"{PROGRAM} show nope 2>/dev/full", shell=True, cwd=project, timeout=60)

    assert ended.returncode == 40


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("list", "--colour"), "usage"),
        (("show",), "usage"),
        (("nothing-like-it",), "usage"),
        (("import", "missing-folder"), "usage"),
        (("strip", "/proc/self/mem"), "system.refused"),
    ],
)
def test_every_way_to_fail_is_one_document(
    project: Path, arguments: tuple[str, ...], code: str
) -> None:
    ended = run_memfs(*arguments, "--json", cwd=project)

    error = json.loads(ended.output)["error"]
    assert (error["code"], error["exit_status"]) == (code, ended.status)
    assert ended.errors == ""


def test_an_import_is_previewed_waits_and_is_known_the_second_time(project: Path) -> None:
    notes = project / "notes"
    notes.mkdir()
    (notes / "deploys.md").write_text("# Deploys\n\nDeploys go through the blue pipeline.\n")

    preview = run_memfs("import", "notes", "--dry-run", *PERSON, cwd=project)
    before = _json(run_memfs("review", *PERSON, "--json", cwd=project))
    first = _json(run_memfs("import", "notes", *PERSON, "--json", cwd=project))
    again = _json(run_memfs("import", "notes", *PERSON, "--json", cwd=project))

    assert preview.output.endswith("  Deploys\n")
    assert before == []
    assert len(first["data"]["waiting"]) == 1
    assert again["data"]["waiting"] == first["data"]["waiting"]
    (waiting,) = _json(run_memfs("review", *PERSON, "--json", cwd=project))
    assert waiting["origin"]["class"] == "imported"
    assert waiting["origin"]["source"].startswith("import:markdown-notes/")
    run_memfs("review", "accept", "--all", *PERSON, cwd=project)
    later = _json(run_memfs("import", "notes", *PERSON, "--json", cwd=project))
    assert (later["status"], later["data"]["known"]) == ("nothing", 1)


def test_an_accepted_import_is_one_commit(project: Path) -> None:
    notes = project / "notes"
    notes.mkdir()
    for number in range(3):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nThe fact numbered {number}.\n")
    before = run_git("rev-list", "--count", "main", cwd=project / ".memfs").output

    ended = run_memfs("import", "notes", "--accept", *PERSON, cwd=project)

    assert ended.status == 0, ended.errors
    after = run_git("rev-list", "--count", "main", cwd=project / ".memfs").output
    assert int(after) == int(before) + 1
    assert len(_json(run_memfs("list", "--json", cwd=project))) == 3
    refused = run_memfs("import", "notes", "--accept", "--as", "agent:builder", cwd=project)
    assert refused.status == 30
