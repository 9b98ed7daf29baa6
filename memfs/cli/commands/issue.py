"""``memfs issue``: what is open, and what became of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import columns, faint, printable, say, strong, write, write_json
from memfs.cli.text import day
from memfs.model.ids import short_id
from memfs.model.instants import format_instant

if TYPE_CHECKING:
    from memfs.domains.runs.issue_views import IssueView

_STATES = ("open", "resolved", "wontfix", "unknown")
_detail_option = click.option(
    "--detail", default="", metavar="TEXT", help="Further words; - reads them from stdin."
)
_key_option = click.option(
    "--key", default="", metavar="KEY", help="Makes a repetition with the same key harmless."
)


@click.group("issue", short_help="Keep what is open, and what became of it.")
def command() -> None:
    """Open, resolve and list issues; each is one file whose log only grows.

    REF is an id, the end of one, a file, the title, or the id that a tracker gave it.
    """


@command.command(
    "open",
    cls=ExampleCommand,
    examples=('memfs issue open "The upload stalls" --detail "after the first block"',),
)
@click.argument("title")
@_detail_option
@_key_option
@shared_options
def open_command(invocation: Invocation, title: str, detail: str, key: str) -> int:
    """Open an issue; the same title again is the same issue."""
    with invocation.open() as memory:
        result = memory.open_issue(title, detail=_said(detail), key=key)
    return respond(invocation, result)


@command.command("resolve")
@click.argument("reference", metavar="REF")
@_detail_option
@_key_option
@shared_options
def resolve_command(invocation: Invocation, reference: str, detail: str, key: str) -> int:
    """Say that an issue is done."""
    with invocation.open() as memory:
        result = memory.resolve_issue(reference, detail=_said(detail), key=key)
    return respond(invocation, result)


@command.command("reopen")
@click.argument("reference", metavar="REF")
@_detail_option
@_key_option
@shared_options
def reopen_command(invocation: Invocation, reference: str, detail: str, key: str) -> int:
    """Say that an issue is open after all."""
    with invocation.open() as memory:
        result = memory.reopen_issue(reference, detail=_said(detail), key=key)
    return respond(invocation, result)


@command.command("wontfix")
@click.argument("reference", metavar="REF")
@_detail_option
@_key_option
@shared_options
def wontfix_command(invocation: Invocation, reference: str, detail: str, key: str) -> int:
    """Say that nothing will be done about an issue."""
    with invocation.open() as memory:
        result = memory.wontfix_issue(reference, detail=_said(detail), key=key)
    return respond(invocation, result)


@command.command("note")
@click.argument("reference", metavar="REF")
@click.argument("text")
@_key_option
@shared_options
def note_command(invocation: Invocation, reference: str, text: str, key: str) -> int:
    """Add words to an issue; - reads them from stdin."""
    with invocation.open() as memory:
        result = memory.note_issue(reference, _said(text), key=key)
    return respond(invocation, result)


@command.command("list")
@click.option("--all", "is_all", is_flag=True, help="Also what was closed long ago.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(_STATES),
    help="Only what stands so, however long; may be repeated.",
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many issues; 0 for all.",
)
@shared_options
def list_command(invocation: Invocation, is_all: bool, states: tuple[str, ...], limit: int) -> int:
    """List what is open, and what was closed not long ago (runs.resolved_days)."""
    with invocation.open() as memory:
        every = memory.list_issues(is_all=is_all, states=states)
    found = every[:limit] if limit else every
    if invocation.is_json:
        from memfs.domains.runs.issue_views import issue_value

        write_json([issue_value(view) for view in found])
    elif found:
        write(_list_lines(found))
    else:
        nothing = "no issue is kept" if is_all else "nothing is open"
        say("no issue is like that" if states else nothing)
    if len(found) < len(every):
        say(f"{len(every) - len(found)} more; --limit 0 lists all")
    return 0


@command.command("show")
@click.argument("reference", metavar="REF")
@shared_options
def show_command(invocation: Invocation, reference: str) -> int:
    """Show an issue with all its events."""
    with invocation.open() as memory:
        view = memory.show_issue(reference)
    if invocation.is_json:
        from memfs.domains.runs.issue_views import issue_value

        write_json(issue_value(view))
    else:
        write(_page(view))
    return 0


@command.command("merge-driver")
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path, exists=True))
@click.argument("theirs", type=click.Path(path_type=Path, exists=True))
@click.argument("path", default="")
@shared_options
def merge_command(invocation: Invocation, base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge two versions of an issue by their events; Git runs this.

    The result is written to OURS. Where only a person can decide, nothing is written and the
    exit number is that of a conflict.
    """
    del invocation  # a merge may be under way in the store: it is not opened
    from memfs.app.merging import merge_issue_files

    merge_issue_files(base, ours, theirs, path=path)
    return 0


def _said(text: str) -> str:
    """Returns words as given, or what stands on stdin."""
    return sys.stdin.read() if text == "-" else text


def _list_lines(found: tuple[IssueView, ...]) -> str:
    rows = []
    for view in found:
        changed_by = view.folded.changed_by
        state = strong(str(view.state)) if not view.state.is_closed else faint(str(view.state))
        is_run = changed_by.startswith("run_")
        tail = f"  {faint(f'run {printable(short_id(changed_by))}')}" if is_run else ""
        rows.append((short_id(view.id), state, day(view.folded.changed), _title(view) + tail))
    return columns(rows)


def _title(view: IssueView) -> str:
    return printable(view.title) or "(no title)"


def _page(view: IssueView) -> str:
    record = view.stored.record
    head = f"{record.id}  issue · {view.state}"
    parts = [faint(f"{head} · {record.scope}" if record.scope else head), strong(_title(view)), ""]
    for event in view.events:
        line = f"{format_instant(event.at)}  {event.kind}  by {printable(event.by)}"
        parts.append(line if event.title == view.title else f"{line}: {printable(event.title)}")
        if event.detail:
            told = printable(event.detail, keep_lines=True)
            parts.extend(f"  {text}".rstrip() for text in told.split("\n"))
    if view.stored.path:
        parts += ["", faint(f"file  {view.stored.path}")]
    return "\n".join(parts)
