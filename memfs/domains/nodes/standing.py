"""What a session is given whatever it asks: the profile, and the rules of what is worth saving.

Nothing here is in the way of an answer: what cannot be read is left out.
"""

from __future__ import annotations

from memfs.domains.nodes.profile_lines import read_profile
from memfs.domains.nodes.rules import RULES, rules_in_force
from memfs.errors import DataError, GitError, IndexUnavailableError, StoreError
from memfs.model.packet import Section
from memfs.model.query import Query
from memfs.services.beside import Beside
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.standing_sections import profile_section, rules_section


def standing_sections(
    workspace: Workspace, beside: Beside, query: Query, *, has_rules: bool
) -> tuple[Section, ...]:
    """Returns the profile and, where they are wanted, the rules, as sections of a packet.

    Args:
        workspace: The store of the project.
        beside: The global store, where there is one.
        query: Who asks, and for where.
        has_rules: The rules are wanted: a session begins.
    """
    if not workspace.store.ledger_head():
        return ()
    try:
        profile = read_profile(workspace, beside, query.actor, sink=query.sink)
        lines = [kept.stored for kept in profile.lines]
        sections = [profile_section(lines, beyond=len(profile.dropped))]
        if has_rules:
            request = access_request(workspace, query.actor, sink=query.sink, purpose=query.purpose)
            found = rules_in_force(workspace, workspace.store.snapshot(), request, most=RULES + 1)
            sections.append(rules_section(found[:RULES], beyond=len(found[RULES:])))
    except (StoreError, GitError, DataError, IndexUnavailableError, OSError):
        return ()
    return tuple(section for section in sections if section is not None)
