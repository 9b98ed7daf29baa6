"""The commit object of an operation: who, when, and the trailers that explain it.

Nothing a record, a title, a key or an actor's name contains can add a line to the message:
every value is reduced to one line before it is placed, so that trailers cannot be forged (A28).
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import Final

from memfs.model.operation import Commit, OperationKind, Plan
from memfs.model.origin import Actor

COMMITTER: Final = "memfs <memfs@memfs.invalid>"
MAX_SUBJECT_BYTES: Final = 200

TRANSACTION: Final = "Memfs-Txn"
OPERATION: Final = "Memfs-Operation"
ACTOR: Final = "Memfs-Actor"
DECISION: Final = "Memfs-Decision"
POLICY: Final = "Memfs-Policy"
KEY: Final = "Memfs-Key"
RECORD: Final = "Memfs-Record"

# Everything that some reader takes for the end of a line, and everything invisible.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+"
)
_PLAIN_KEY: Final = re.compile(r"[!-~]{1,200}")
_TRAILER: Final = re.compile(r"(Memfs-[A-Za-z]+): (.*)")


def one_line(text: str) -> str:
    """Returns ``text`` without control, direction and line-separator characters."""
    clean = _UNSAFE.sub(" ", text).strip()
    return clean.encode("utf-8", "replace").decode("utf-8")


def normal_key(key: str) -> str:
    """Returns the form of an idempotency key that trailers carry; distinct keys stay distinct."""
    if not key or _PLAIN_KEY.fullmatch(key):
        return key
    return "sha256:" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def subject_line(plan: Plan) -> str:
    """Returns the first line of the message: the operation's word and the plan's subject."""
    word = "remember" if plan.operation is OperationKind.ACTIVATE else str(plan.operation)
    subject = one_line(plan.subject)
    if len(subject.encode()) > MAX_SUBJECT_BYTES:
        subject = subject.encode()[: MAX_SUBJECT_BYTES - 3].decode("utf-8", "ignore") + "…"
    return f"{word}: {subject}" if subject else word


def commit_message(plan: Plan) -> str:
    """Returns the whole commit message with its trailers."""
    decisions = dict.fromkeys(str(change.decision) for change in plan.changes)
    policies = dict.fromkeys(change.decision.policy for change in plan.changes)
    trailers = [
        (TRANSACTION, plan.transaction),
        (OPERATION, str(plan.operation)),
        (ACTOR, str(plan.actor)),
        *((DECISION, decision) for decision in decisions),
        *((POLICY, policy) for policy in policies if policy),
        *(((KEY, normal_key(plan.key)),) if plan.key else ()),
        *((RECORD, reference) for reference in plan.records),
    ]
    lines = [f"{name}: {one_line(value)}" for name, value in trailers]
    return "\n".join([subject_line(plan), "", *lines, ""])


def identity(actor: Actor) -> str:
    """Returns the author of an actor's commits, ``user:ana <user.ana@memfs.invalid>``."""
    principal = actor.principal
    mailbox = re.sub(r"[^A-Za-z0-9._+-]", ".", f"{principal.kind}.{principal.name}")
    return f"{principal} <{mailbox}@memfs.invalid>"


def git_time(moment: datetime) -> str:
    """Returns ``seconds zone`` as Git writes it; always UTC."""
    return f"{int(moment.astimezone(UTC).timestamp())} +0000"


def commit_content(plan: Plan, *, tree: str, parents: tuple[str, ...]) -> bytes:
    """Returns the content of the commit object."""
    when = git_time(plan.at)
    lines = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        f"author {identity(plan.actor)} {when}",
        f"committer {COMMITTER} {when}",
        "",
        commit_message(plan),
    ]
    return "\n".join(lines).encode()


def parse_commit(oid: str, content: bytes) -> Commit:
    """Returns a commit object as a value; foreign commits have empty operation fields."""
    head, _, body = content.decode("utf-8", "replace").partition("\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.split("\n"):
        name, _, value = line.partition(" ")
        fields.setdefault(name, []).append(value)
    author, _, when = fields.get("author", [""])[0].rpartition("> ")
    seconds = when.split(" ")[0]
    trailers = trailers_of(content)
    first = {name: values[0] for name, values in trailers.items()}
    return Commit(
        id=oid,
        parents=tuple(fields.get("parent", ())),
        subject=body.split("\n")[0],
        author=author.partition(" <")[0],
        at=datetime.fromtimestamp(int(seconds) if seconds.isdigit() else 0, UTC),
        is_operation=TRANSACTION in first,
        transaction=first.get(TRANSACTION, ""),
        operation=first.get(OPERATION, ""),
        decision=first.get(DECISION, ""),
        key=first.get(KEY, ""),
        records=tuple(trailers.get(RECORD, ())),
    )


def trailers_of(content: bytes) -> dict[str, list[str]]:
    """Returns the trailers of a commit object by name; those of a foreign commit do not count."""
    head, _, body = content.decode("utf-8", "replace").partition("\n\n")
    trailers: dict[str, list[str]] = {}
    if f"\ncommitter {COMMITTER} " not in head:
        return trailers
    for line in body.split("\n")[1:]:
        match = _TRAILER.fullmatch(line)
        if match is not None:
            trailers.setdefault(match[1], []).append(match[2])
    return trailers


def tree_of(content: bytes) -> str:
    """Returns the tree id that a commit object names."""
    return content[5:45].decode("ascii")
