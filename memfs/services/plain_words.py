"""What a commit says outside records: no subject and no account of memfs carries a secret (A81).

Claims and evidence are screened when they are decided on. The words that come with an
administrative operation are not claims: why something was taken back, what a grant is for,
the title of a record that an older version let in. They are looked at here, at the one door.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.errors import UsageError
from memfs.model.operation import Plan
from memfs.policy.screening import scan_secrets

ACCOUNTS: Final = ("conflicts/", "grants/", "pollution/", "publications/", "receipts/")
"""Folders of what memfs writes about records; ids, names and codes stand there."""


class SecretWordsError(UsageError):
    """Words that came with an operation hold a secret; nothing of it was done."""

    code = "usage.secret"


def plain(plan: Plan) -> Plan:
    """Returns a plan whose commit tells no secret: a subject with one names the records instead.

    Raises:
        SecretWordsError: An account of the operation holds one.
    """
    for change in plan.changes:
        if change.content is not None and change.path.startswith(ACCOUNTS):
            _require_plain(change.content.decode("utf-8", "replace"), change.path)
    _require_plain(str(plan.actor.principal), "the name of the one who acts")
    if not _family_in(plan.subject):
        return plan
    return replace(plan, subject=", ".join(plan.records[:1]) or plan.transaction)


def _require_plain(text: str, where: str) -> None:
    family = _family_in(text)
    if family:
        raise SecretWordsError(
            f"expected no secret in {where}, got what looks like one ({family})",
            hint="say it without the value; nothing of it was stored",
        )


def _family_in(text: str) -> str:
    return next((item.family for item in scan_secrets(text) if not item.is_held), "")
