"""``memfs node``: free-form memory with a summary, an abstract and a content."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import say, write, write_json

if TYPE_CHECKING:
    from memfs.domains.nodes.looking import NodeAnswer

DOMAIN_NAMES: Final = ("html", "server", "python", "exe", "data", "cli", "notebook", "mobile")
"""Written out, since a help page loads no domain."""
_SHOWN: Final = ("asserted", "mentions")
"""What a node is linked to as somebody said; what it rests on is told by memfs show."""
_abstract = click.option("--abstract", metavar="TEXT", help="A few sentences, given when opened.")
_content = click.option("--content", metavar="TEXT", help="Everything else; - reads stdin.")
_importance = click.option("--importance", type=int, metavar="N", help="1 to 10; 5 by default.")


@click.group("node", short_help="Keep nodes: a summary, an abstract and a content each.")
def command() -> None:
    """Save, find and change nodes; a node is a note with more to it.

    REF is an id, the end of one, or a file.
    """


@command.command(
    "save",
    cls=ExampleCommand,
    examples=(
        'memfs node save "The orders database is backed up every night to disk two"',
        'memfs node save "Type hints everywhere" --domain python',
        "pandoc -t plain notes.html | memfs node save 'How the importer resumes' --content -",
    ),
)
@click.argument("summary")
@_abstract
@_content
@_importance
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated.")
@click.option(
    "--domain", type=click.Choice(DOMAIN_NAMES), help="Add SUMMARY to what is wanted of such work."
)
@click.option("--rule", "is_rule", is_flag=True, help="SUMMARY says what is worth saving.")
@click.option("--force", "is_forced", is_flag=True, help="Save in spite of what is alike.")
@click.option("--session", default="", metavar="ID", help="The session that it was said in.")
@click.option("--session-name", default="", metavar="NAME", help="What that session is called.")
@click.option("--scope", default="", metavar="SCOPE", help="Such as project:NAME.")
@click.option("--key", default="", metavar="KEY", help="The same key is carried out once.")
@shared_options
def save_command(
    invocation: Invocation,
    summary: str,
    abstract: str | None,
    content: str | None,
    importance: int | None,
    tags: tuple[str, ...],
    domain: str | None,
    is_rule: bool,
    is_forced: bool,
    session: str,
    session_name: str,
    scope: str,
    key: str,
) -> int:
    """Save SUMMARY as a node, unless the opposite or nearly the same is there already.

    A node that is new is linked to what is like it. The answer says how much it scores, and of
    what is alike, which node it is and what can be done.
    """
    with invocation.open() as memory:
        result = memory.save_node(
            summary,
            abstract=abstract or "",
            content=_said(content) or "",
            importance=importance,
            tags=tags,
            domain=domain or "",
            is_rule=is_rule,
            is_forced=is_forced,
            session=session,
            session_name=session_name,
            scope=scope,
            key=key,
        )
    return respond(invocation, result)


@command.command("update")
@click.argument("reference", metavar="REF")
@click.option("--summary", metavar="LINE", help="What it is found and listed by.")
@_abstract
@_content
@_importance
@click.option("--tag", "add_tags", multiple=True, metavar="TAG", help="Add a tag.")
@click.option("--drop-tag", "drop_tags", multiple=True, metavar="TAG", help="Take a tag away.")
@shared_options
def update_command(
    invocation: Invocation,
    reference: str,
    summary: str | None,
    abstract: str | None,
    content: str | None,
    importance: int | None,
    add_tags: tuple[str, ...],
    drop_tags: tuple[str, ...],
) -> int:
    """Change a node in place; its id, its edges and its history stay."""
    with invocation.open() as memory:
        result = memory.update_node(
            reference,
            summary=summary,
            abstract=abstract,
            content=_said(content),
            importance=importance,
            add_tags=add_tags,
            drop_tags=drop_tags,
        )
    return respond(invocation, result)


@command.command("append")
@click.argument("reference", metavar="REF")
@click.argument("text")
@shared_options
def append_command(invocation: Invocation, reference: str, text: str) -> int:
    """Add TEXT (- for stdin) to the content of a node; what it said before stays."""
    with invocation.open() as memory:
        result = memory.append_node(reference, _said(text) or "")
    return respond(invocation, result)


@command.command("query", cls=ExampleCommand, examples=("memfs node query 'where are backups'",))
@click.argument("text")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="All of them must be there.")
@click.option("--limit", type=click.IntRange(1, 1000), help="At most so many nodes.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@shared_options
def query_command(
    invocation: Invocation, text: str, tags: tuple[str, ...], limit: int | None, explain: bool
) -> int:
    """List the summaries of the nodes that TEXT is about, best first.

    Paths that the best of them name come first: look there before listing folders.
    """
    from memfs.cli.node_text import answer_lines, answer_value

    with invocation.open() as memory:
        answer = memory.query_nodes(text, tags=tags, limit=limit)
    if invocation.is_json:
        write_json(answer_value(answer))
    elif answer.hits:
        write(answer_lines(answer, explain=explain))
        if explain:
            say(f"alike by {answer.mode}")
    else:
        say(_why(answer))
    return 0


@command.command("expand", cls=ExampleCommand, examples=("memfs node expand x4m2kd --page 2",))
@click.argument("reference", metavar="REF")
@click.option("--page", type=click.IntRange(1), default=1, metavar="N", help="Page of content.")
@click.option("--hops", type=click.IntRange(0, 3), default=1, help="Steps to what is linked.")
@shared_options
def expand_command(invocation: Invocation, reference: str, page: int, hops: int) -> int:
    """Open a node: its abstract, one page of its content, and what it is linked to."""
    from memfs.cli.graph_text import neighbor_lines, surroundings_value
    from memfs.cli.node_text import node_page, node_value

    with invocation.open() as memory:
        node = memory.open_node(reference, page=page)
        around = memory.neighbors(node.stored.record.id, hops=hops, sorts=_SHOWN) if hops else None
    if invocation.is_json:
        linked = {} if around is None else {"around": surroundings_value(around)}
        write_json({**node_value(node), **linked})
        return 0
    write(node_page(node))
    if around is not None and around.nodes:
        write(f"\n{neighbor_lines(around)}")
    if node.next_page:
        say(f"next page: memfs node expand {node.stored.record.id} --page {node.next_page}")
    return 0


@command.command("list")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="All of them must be there.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many nodes; 0 for all.",
)
@shared_options
def list_command(invocation: Invocation, tags: tuple[str, ...], limit: int) -> int:
    """List nodes, the most important first, of those the newest."""
    from memfs.cli.node_text import line_of, node_rows

    with invocation.open() as memory:
        found = memory.list_nodes(tags=tags, limit=limit + 1 if limit else 0)
    shown = found[:limit] if limit else found
    if invocation.is_json:
        write_json([line_of(stored) for stored in shown])
    elif shown:
        write(node_rows(shown))
    else:
        say("no node is like that" if tags else "no node is kept")
    if len(shown) < len(found):
        say(f"the first {limit} are shown; --limit 0 lists all")
    return 0


@command.command("stats")
@shared_options
def stats_command(invocation: Invocation) -> int:
    """Count nodes and edges, and show the thresholds in force."""
    from memfs.cli.node_text import stats_lines, stats_value

    with invocation.open() as memory:
        stats = memory.node_stats()
    if invocation.is_json:
        write_json(stats_value(stats))
    else:
        write(stats_lines(stats))
    return 0


@command.command("domains", cls=ExampleCommand, examples=("memfs node domains 'a Flask server'",))
@click.argument("text", default="")
@click.option(
    "--domain", "domains", multiple=True, type=click.Choice(DOMAIN_NAMES), help="Repeatable."
)
@shared_options
def domains_command(invocation: Invocation, text: str, domains: tuple[str, ...]) -> int:
    """Show what is wanted of every kind of work that TEXT is about."""
    from memfs.cli.node_text import domain_lines, domain_value

    with invocation.open() as memory:
        found = memory.domain_preferences(text, domains=domains)
    if invocation.is_json:
        write_json(domain_value(found))
    elif found:
        write(domain_lines(found))
    else:
        say("nothing is kept of what is wanted of such work")
    return 0


@command.command("link")
@click.argument("reference", metavar="REF")
@shared_options
def link_command(invocation: Invocation, reference: str) -> int:
    """Link a node to what is like it, where it is not linked to it already."""
    with invocation.open() as memory:
        result = memory.link_node(reference)
    return respond(invocation, result)


@command.command("delete")
@click.argument("reference", metavar="REF")
@click.option("--forever", "is_forever", is_flag=True, help="Remove it, and bar it from return.")
@click.option("--why", default="", metavar="WORDS", help="Kept in the commit.")
@shared_options
def delete_command(invocation: Invocation, reference: str, is_forever: bool, why: str) -> int:
    """Take a node back, and with it every edge that it stands at.

    It can be restored with memfs restore, edges included, unless --forever is given.
    """
    with invocation.open() as memory:
        result = memory.delete_node(reference, is_forever=is_forever, why=why)
    return respond(invocation, result)


def _said(text: str | None) -> str | None:
    """Returns words as given, or what stands on stdin."""
    return sys.stdin.read() if text == "-" else text


def _why(answer: NodeAnswer) -> str:
    match answer.reason:
        case "recall.no-match":
            return "nothing that is kept has any of these words"
        case "recall.nothing-close":
            return "nothing that is kept is about that"
        case reason:
            return reason
