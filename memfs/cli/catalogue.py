"""Every command by name, with the module that holds it and the line that lists it.

Reading this table costs nothing, so that ``memfs --help`` imports no command at all. A
command is one module in ``memfs.cli.commands`` with an attribute ``command``.
"""

from __future__ import annotations

from collections.abc import Mapping
from keyword import iskeyword
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen


@frozen(kw_only=False)
class Entry:
    """Where a command lives and what the list of commands says about it."""

    module: str
    help: str


@frozen(kw_only=False)
class Section:
    """One paragraph of the list of commands, in the order in which people need them."""

    title: str
    commands: Mapping[str, Entry]


def _module(name: str) -> str:
    """Returns the module of a command; a hyphen is an underscore, a Python keyword gets one."""
    return f"{name}_" if iskeyword(name) else name.replace("-", "_")


def _section(title: str, **commands: str) -> Section:
    entries = {
        name: Entry(f"memfs.cli.commands.{_module(name)}", line) for name, line in commands.items()
    }
    return Section(title, MappingProxyType(entries))


SECTIONS: Final = (
    _section(
        "Start here",
        init="Make a store for this project.",
        status="Tell what the store holds and what waits.",
    ),
    _section(
        "Remember and recall",
        remember="Keep one claim.",
        capture="Keep a text as evidence that claims can quote.",
        propose="Suggest a claim; it waits for a person unless policy admits it.",
        recall="Answer a question from memory, within a token budget.",
        context="Give an agent what it should know before it starts.",
        node="Keep nodes: a summary, an abstract and a content each.",
        profile="Keep the few lines that every session is given.",
        core="Show what every session starts with.",
        search="Find records and show how they score.",
        show="Show one record.",
        list="List records, newest first.",
        history="List the operations on a record.",
        log="Tell what was done to the store, by whom and when.",
        diff="Compare two versions of a record.",
        edit="Open a record in your editor and hand in the result.",
        correct="Replace what a record says by a new version.",
        retract="Take a record back that was wrong; it can be restored.",
        forget="Remove records for good, and keep them from coming back.",
        restore="Serve a retracted record again.",
    ),
    _section(
        "Follow the work",
        run="Record runs of agents: what was done, and what is left open.",
        issue="Keep what is open, and what became of it.",
        session="Keep and open conversations with coding agents.",
        exec="Keep how far a task has come, and go on with it.",
        distill="Find what is worth keeping in sessions, commits and runs.",
        timeline="See what happened when, and record what did.",
        intention="Say what to be asked about later, and when.",
        intentions="Find what is due, and ask about it.",
        **{
            "git-log": "List commits of the project.",
            "git-show": "Show what one commit of the project changed.",
        },
    ),
    _section(
        "Mind a role",
        role="Look after what a role remembers.",
        **{
            "memory-status": "Tell how what roles remember stands.",
            "memory-context": "Give a reader the part of a role's memory that is for them.",
            "memory-apply-operation": "Apply a typed operation to what a role remembers.",
        },
    ),
    _section(
        "See what hangs together",
        entity="Keep the things that memory speaks of, by all their names.",
        relate="Say how one record or entity bears on another.",
        unrelate="Take an edge away, at both its ends.",
        neighbors="List what lies around a record or an entity.",
        expand="Show a record with what lies around it.",
        path="Show how two records or entities hang together.",
        similar="List what is like a record and not linked to it yet.",
        graph="Draw what lies around a record or an entity.",
    ),
    _section(
        "Decide",
        review="See, accept, reject or edit what waits in the inbox.",
        conflicts="List records that say otherwise about the same subject.",
        resolve="Say which side of a conflict stays.",
        outcome="Say how using a record turned out.",
        procedure="Keep steps that worked, and prove them by outcomes.",
        merge="Make two entities, or two notes, one.",
        split="Make one entity, or one note, two.",
    ),
    _section(
        "Share",
        grant="Let someone read part of the store, for a time.",
        grants="List who may read what, and until when.",
        revoke="Take a grant back, at once.",
        publish="Offer a record to another namespace, which decides for itself.",
    ),
    _section(
        "Oversee",
        stats="Count what there is and how it was used.",
        explain="Explain a record, or the last answer.",
        audit="Check that everything that is served was admitted.",
        pollute="Withhold a namespace that is not to be relied on.",
        clear="Serve a polluted namespace again.",
    ),
    _section(
        "Take back",
        erase="Erase records: their bytes too, and with --history the Git history.",
    ),
    _section(
        "Bring in and hand out",
        **{"import": "Import memory that another system kept."},
        migrate="Move another memory in, in stages that can be undone.",
        export="Write what may leave the store in a format that others read.",
    ),
    _section(
        "Use with agents",
        install="Let a coding agent use memfs.",
        mcp="Serve memory to agents over the model context protocol.",
        uninstall="Take memfs out of a coding agent's configuration.",
    ),
    _section(
        "Look after the store",
        check="Validate files and name every problem with its line.",
        reconcile="Find edits made outside memfs and put them up for review.",
        watch="Reconcile whenever a file is saved.",
        doctor="Examine the store, and repair what can be repaired.",
        rebuild="Make the search index anew from the ledger.",
        config="Show the settings in force.",
        schema="Print the JSON Schema of a kind.",
        strip="Take memfs packets out of text.",
        jobs="See and do the work that hooks put off.",
        sleep="Go over memory: group, put forward, make the core anew.",
        hook="Run what a hook of Git or of a coding agent asks for.",
    ),
)

COMMANDS: Final[Mapping[str, Entry]] = MappingProxyType(
    {name: entry for section in SECTIONS for name, entry in section.commands.items()}
)
