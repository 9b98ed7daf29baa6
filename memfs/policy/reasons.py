"""Every stable reason code with its sentence, in one table.

Codes are API (A43): receipts, candidates, ``--json`` and the reference page carry them.
A sentence never quotes what was submitted; a detail is an id, a count, a rule or a name of
this build. The codes of the promotion table's rows have their sentences there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason

_MODE: Final = {
    "mode.off": "memory is switched off; it takes nothing in and serves nothing",
    "mode.read-only": "memory is read-only; nothing is admitted",
    "mode.shadow": "in shadow mode what would be admitted waits, and programs are served nothing",
}

_SOURCE: Final = {
    "source.off": "the settings switch off where this comes from; nothing of it is admitted",
    "namespace.polluted": "nothing is admitted into a namespace until it is repaired",
}

_ORIGIN: Final = {
    "origin.class-mismatch": "the origin's class is not the one that its channel gives",
    "origin.incomplete": "the origin lacks a source pointer or a digest of the source",
    "origin.system-claim": "memfs itself states no claims; it only keeps accounts",
}

_TARGET: Final = {
    "target.missing": "the record to change is not in the ledger",
    "target.not-active": "only an active record can be changed",
    "target.kind-changed": "a new version keeps its kind; make a new record instead",
    "target.scope-changed": "a scope never changes in place; publish a new record instead",
    "scope.other-store": "the namespace belongs to another store, which decides for itself",
    "target.append-only": "records of this kind are never rewritten",
    "target.other-principal": "the record is another person's own statement",
    "forget.needs-person": "removing a record waits for a person",
    "settings.needs-person": "a change of the settings waits for a person",
    "candidate.needs-person": "the ledger changed as well; a person chooses between the versions",
}

_EDIT: Final = {
    "edit.changed": "the file of a record was changed outside memfs",
    "edit.added": "a new file was put among the records outside memfs",
    "edit.deleted": "the file of a record was deleted outside memfs",
    "edit.conflict": "the file and the ledger both changed; choose between the versions",
    "edit.foreign-commit": "changed by a commit that memfs did not make",
    "edit.index-line": "a line of the generated index was changed",
    "edit.page-block": "a block of a generated page was changed",
    "edit.core-line": "a line of the generated core was changed",
    "review.requested": "the proposer asked for a review",
}

_BOUNDS: Final = {
    "kind.unknown": "this build knows no such kind",
    "kind.missing-field": "a field that the kind requires is missing",
    "kind.bad-choice": "a field has a value that the kind does not list",
    "procedure.stage": "a stage beyond trial is earned by outcomes, never stated",
    "bounds.empty": "the record says nothing",
    "bounds.title": "the title is longer than 200 characters or has more than one line",
    "bounds.body": "the body is larger than the limit",
    "bounds.text": "a summary, abstract, subject or label is longer than the limit",
    "bounds.items": "a list has more items than the limit",
    "bounds.control-characters": "the text holds control characters",
    "bounds.number": "importance must be 1 to 10, confidence 0 to 1, version at least 1",
    "bounds.validity": "the end of validity is not after its start",
    "bounds.reference": "a reference to a record or to evidence is malformed",
    "bounds.quota": "too many candidates of this principal wait already",
    "bounds.captured": "this principal had too many texts kept as evidence within a day",
    "bounds.recorded": "this principal had too many of these recorded within a day",
    "bounds.dispatched": "too many runs of this principal go on already; end one first",
    "claim.no-subject": "it does not say who or what it is about; say it, or give a subject",
    "claim.not-atomic": "one record holds one claim; this looks like several",
}

_ELIGIBILITY: Final = {
    "eligibility.permission": "memory never grants a permission",
    "eligibility.approval": "memory never carries an approval",
    "eligibility.payment": "memory never carries an instruction to pay or to move money",
    "eligibility.destructive": "memory never carries a destructive command",
    "eligibility.contact": "memory never carries an instruction to contact someone",
    "eligibility.policy-change": "memory never changes policy, safety settings or instructions",
    "eligibility.grants-action": "a field tries to grant an action",
    "eligibility.hidden-reasoning": "hidden reasoning is never kept",
    "eligibility.derivable": "this can be derived from code or Git and is not kept",
    "eligibility.bulk": "this is bulk material, not a claim",
    "eligibility.packet-echo": "this came out of memory's own recall and is not evidence",
}

_SCREENING: Final = {
    "screening.secret": "the text holds a secret; nothing of it is stored",
    "screening.secret-hint": "the text may hold a password or a private identifier",
    "screening.personal": "the text holds an identity, health-insurance or payment number",
    "screening.personal-hint": "the text may hold personal data",
    "screening.hidden-characters": "the text holds characters that cannot be seen",
    "screening.injection-hint": "the text reads like an instruction to an agent",
    "screening.policy-adjacent": "the text is about what agents may do or must obey",
    "screening.sealed": "sealing needs pyrage (memfs-ledger[sealed]); nothing of it is stored",
    "screening.sealed-person": "only a person seals a record; nothing of it is stored",
    "screening.sensitive": "it is confidential, or was derived from something confidential",
    "screening.prospective": "the text asks for something to be done later",
}

_GRAPH: Final = {
    "edge.bad-end": "an edge joins two records or entities, each named by its id",
    "edge.self": "nothing relates to itself",
    "graph.sealed": "things are found by their names and edges by their ends; they are not sealed",
    "entity.name-is-id": "an id is no name: it names a record",
    "entity.name-taken": "another thing bears this name; make one of them with: memfs merge",
    "edge.unknown-end": "an end of the edge is not in the ledger; add it first",
}

_INTENTION: Final = {
    "intention.unreadable": "it does not say when to ask in a way that can be kept",
    "intention.sealed": "what is asked about in words is not sealed",
    "intention.live-person": "an intention is stated by a person who is there, and by nobody else",
    "intention.illegal-move": "an intention does not move so; no row of the table allows it",
    "intention.not-due": "it comes again and asks about nothing now; end it with cancel",
}

_COMPARISON: Final = {
    "tombstone.matches": "this was forgotten on demand and must not come back",
    "correction.supersedes": "it replaces what an active record said about the same subject",
    "conflict.contradiction": "an active record says otherwise about the same subject",
    "conflict.ambiguous": "more than one active record says otherwise about the same subject",
    "conflict.other-principal": "the record that says otherwise is not this principal's own",
    "conflict.over": "the conflict was resolved before",
    "conflict.not-a-side": "the record is no side of this conflict",
    "conflict.nothing-kept": "at least one side stays; take records back with: memfs retract",
    "conflict.nothing-decided": "every side was kept; leave one out",
    "conflict.not-verified": "the check does not hold for exactly one side",
    "duplicate.same-claim": "an active record already says this",
    "duplicate.unchanged": "nothing would change",
    "duplicate.confirmed": "a person says what a weaker source said before; it is replaced",
    "duplicate.same-id": "this thing is known already under its name; add to what is known of it",
    "duplicate.taken-back": "this was taken back; serve it again with: memfs restore",
    "duplicate.new-evidence": "independent evidence is added to the record that says this",
}

_VERIFICATION: Final = {
    "evidence.missing": "cited evidence is not in the ledger",
    "quote.not-found": "the quoted words do not stand in the evidence",
    "quote.pasted": "the quoted words look pasted into the prompt, not typed by the person",
    "quote.partial": "the quote cuts a sentence; whole sentences are needed",
    "quote.not-user-stated": "the quoted evidence is not what a person stated",
    "quote.other-scope": "the quoted evidence belongs to another scope",
    "quote.not-the-claim": "the claim says more than the quoted words",
    "verification.not-the-claim": "the claim says more than what was looked up",
    "verification.failed": "a deterministic check did not confirm it",
}

_ACCESS: Final = {
    "access.status": "only active records are served",
    "access.expired": "the record has expired",
    "access.not-valid": "the record was not valid at that time",
    "access.not-asked": "the record is outside the scopes that were asked for",
    "access.other-project": "the record belongs to another project",
    "access.private": "the record belongs to a private scope of someone else",
    "access.shared": "the record belongs to a team that the reader is not in",
    "access.sensitivity": "the record is too sensitive for this reader or place",
    "access.sink": "the record may not go there",
    "access.class": "records of this class are opened by a grant alone",
    "access.account": "what governs others is a person's to read",
    "access.no-rights": "a person behind a program reads by grants alone",
    "access.polluted": "the namespace is not to be relied on until it is repaired",
    "access.source-off": "the settings switch its source off",
}

_GRANT: Final = {
    "grant.other-project": "a grant opens what this store owns and nothing of another project",
    "grant.no-scope": "a grant names at least one namespace",
    "grant.never-ends": "a grant ends in the future, and after it begins",
    "grant.no-grantee": "a grant is for a user, an agent or a tool",
    "grant.too-high": "no grant opens sealed records",
    "grant.over": "the grant was taken back or has ended already",
    "grant.account": "no grant opens what governs others",
}

_PUBLICATION: Final = {
    "publication.not-active": "only an active record is published",
    "publication.not-newest": "only the newest version of a record is published",
    "publication.waiting": "what waits for a decision is not published",
    "publication.not-a-claim": "only claims are published",
    "publication.sealed": "a sealed record never leaves the store that has its key",
    "publication.polluted": "the namespace is not to be relied on until it is repaired",
    "publication.review": "it was published from another namespace and waits for a person here",
    "publication.same-scope": "the record is in that namespace already",
}

_SESSION: Final = {
    "session.nameless": "the transcript does not say which session it is of",
    "session.side": "a side conversation of agents is no session of a person",
    "session.forgotten": "the session was forgotten; nothing brings it back",
    "session.elsewhere": "the session is of another project",
}

_OUTCOME: Final = {
    "outcome.not-a-claim": "an outcome is of a claim that was used",
    "outcome.not-verified": "no observation and no check bears it out; what a program says is none",
    "outcome.needs-person": "that it helped in part is a person's to say",
    "outcome.seen-before": "it was observed before the record said this",
    "outcome.seen-otherwise": "what was observed did not end so",
    "outcome.not-mentioned": "the record does not speak of what was looked up",
}

_PROCEDURE: Final = {
    "procedure.not-one": "only a procedure is tried and promoted",
    "procedure.illegal-move": "no row of the table of stages allows this move",
    "procedure.stale": "a script or a tool is not what was tried; begin another trial",
    "procedure.unpinned": "its script or a tool is not found here and cannot be pinned",
    "procedure.not-applicable": "the conditions are not those that it holds under",
    "procedure.no-episode": "an episode says of one attempt how it ended",
    "procedure.other-use": "the episode is not of a use of this version",
    "procedure.other-control": "a control is an attempt without memory, same conditions",
    "procedure.harm-person": "that a use did harm is for a person to say, or for its control",
    "procedure.harmed": "a use did harm; it is handed out again when a person tries it again",
    "procedure.deprecated": "it was set aside",
    "episode.no-conditions": "an episode that a program tells of says its conditions as name=value",
}

_NODE: Final = {
    "node.below-score": "it scores less than what is worth saving; nothing is stored",
    "node.opposed": "a node that is active says the opposite in the same words",
    "node.alike": "what is kept already, or waits, says nearly the same",
    "profile.domain": "what is wanted of one kind of work belongs to the node of that domain",
    "profile.place": "what is so about a project belongs to a node, and not to the profile",
}

_ACTION: Final = {
    "action.no-memory": "no record that may be read is meant; nothing is made up in its place",
    "action.no-approval": "memory permits no action; a person has to approve it now",
    "action.not-evidence": "what is offered as approval is no evidence on the ledger",
    "action.not-a-person": "what is offered as approval was not said by a person just now",
    "action.not-fresh": "the approval was given too long ago, or not yet",
    "action.not-named": "the approval does not name this action",
}

_ROLE: Final = {
    "role.typed-only": "role memory is changed by typed operations alone: memory-apply-operation",
    "role.scope": "what a role remembers stands in its own scope, agent:NAME",
    "role.other-role": "a role changes its own memory; a person changes any",
    "role.unreadable": "an operation is one JSON object in which every member stands once",
    "role.unknown-operation": "there is no such operation; see the table of operations",
    "role.unknown-field": "a member stands there that the operation does not take",
    "role.missing-field": "a member that the operation needs is missing or empty",
    "role.bad-field": "a member has another shape, length, number or range than it has to have",
    "role.project-truth": "code, plans, running things and checkpoints are true elsewhere, and are "
    "never kept as what a role remembers",
    "role.trait-baseline": "what a role is by nature is not a memory and is not changed by one",
    "role.speech-text": "a pressure says what presses, and holds no words to be said",
    "role.anatomy": "a memory needs a target, a claim, an implication, and a question or a tension",
    "role.anchor": "a memory has anchors that lead somewhere, or anchor:missing and no other",
    "role.lifecycle": "the lifecycle table has no such pair of profile and state",
    "role.start": "a memory does not begin in this state",
    "role.move": "the lifecycle table has no such move",
    "role.profile": "this is a memory of another profile or role than the operation is about",
    "role.relation": "an edge of role memory has one of the relations of the table",
    "role.edge-claim": "an edge of role memory says what it claims",
    "role.unknown-memory": "the role has no such memory",
    "role.unknown-end": "nothing that may be seen has this id",
    "role.summary-lossy": "a summary in these words would lose something of what it covers",
    "role.unchanged": "it says again what is remembered already; nothing was added",
    "role.full": "the memory holds as many wordings, anchors or tags as it can",
    "role.phase": "this operation does not belong to this phase of the role",
    "role.held": "a commit made by hand waits on the memory; decide on it first: memfs review",
    "role.unripe": "the thread is not ripe; what it lacks is said by the table of ripening",
    "role.stale": "it was read off something that is otherwise now: scan the project again first",
    "role.not-applied": "another operation of the same batch was refused; nothing was changed",
    "role.sleep-no-op": "a sleep does something about what is open, or fails; nothing was changed",
    "role.sleep-residue": "a sleep accounts for every short-term memory, or fails; nothing was "
    "changed",
    "role.proposals": "a rest takes so many proposals and no more; what came behind was not read",
}

_EXECUTION: Final = {
    "execution.closed": "the task is closed; nothing is added to it",
    "execution.no-call": "a result belongs to a current call that waits for one",
    "execution.answered": "the call has its result already",
    "execution.effect": "an effect is a run, an issue or an observation that can be read here",
    "execution.compensation": "another effect makes up for one that the task links",
    "execution.off-path": "the step is not on the way to the head",
    "execution.backwards": "a range begins before it ends",
    "execution.open-call": "a call whose result is not known stays as it is",
    "execution.split-pair": "a call would be parted from its result",
    "execution.crossing": "the range takes in a part of what is compressed already",
    "execution.nothing-left": "the task stands there; no branch would be left behind",
    "execution.not-closing": "a task is closed as done or as abandoned",
}

_RESHAPING: Final = {
    "merge.kind": "only two entities, or two notes, become one",
    "merge.same": "a record cannot be merged into itself",
    "merge.scope": "two records of different namespaces stay two",
    "merge.class": "records of different classes are read by different readers; they stay two",
    "merge.sealed": "a sealed record is read with its own key; it stays by itself",
    "merge.validity": "the two hold for different times; say first for which time both hold",
    "merge.edges": "so many edges are not moved at once; let the one with fewer give way",
    "part.not-standing": "no merge or split of it stands",
    "part.changed-since": "it was changed since; merge the two instead",
    "split.kind": "only an entity or a note is split",
    "split.title": "the second needs a name",
    "split.same-name": "the second needs another name than the first",
    "split.text": "these words, or this heading, do not stand in it",
    "split.alias": "it has no such alias or attribute",
    "split.edge": "no such edge hangs on it",
}

_ADMINISTRATION: Final = {
    "actor.not-a-person": "only a person may do this",
    "actor.not-system": "only memfs itself does this",
    "record.not-active": "the record is not active",
    "record.append-only": "records of this kind are never rewritten",
    "restore.unsupported": "what it rests on does not stand any more",
    "transition.illegal": "a record cannot move between these states",
}

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_MODE,
        **_SOURCE,
        **_ORIGIN,
        **_TARGET,
        **_EDIT,
        **_BOUNDS,
        **_ELIGIBILITY,
        **_SCREENING,
        **_GRAPH,
        **_INTENTION,
        **_COMPARISON,
        **_VERIFICATION,
        **_ACCESS,
        **_GRANT,
        **_PUBLICATION,
        **_SESSION,
        **_OUTCOME,
        **_PROCEDURE,
        **_NODE,
        **_ACTION,
        **_ROLE,
        **_EXECUTION,
        **_RESHAPING,
        **_ADMINISTRATION,
    }
)
"""Code to sentence, in the order of the pipeline."""


def reason(code: str, detail: str = "") -> Reason:
    """Returns the reason of that code.

    Args:
        code: A key of :data:`SENTENCES`.
        detail: An id, a count or a name of this build; never words of a submission.

    Raises:
        KeyError: There is no such code: a bug.
    """
    sentence = SENTENCES[code]
    return Reason(code, f"{sentence} ({detail})" if detail else sentence)
