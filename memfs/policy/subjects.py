"""An explicit subject: a claim says who or what it is about (C17).

A program that stores "has a PhD" has lost whom it was said of, and no reader can find out.
Only what is plain is asked about: a claim that begins with a verb in the third person or
with a pronoun that points to nothing in it. People know whom they mean and are not asked.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.decision import Reason
from memfs.model.record import Record
from memfs.policy.hidden import visible_text
from memfs.policy.reasons import reason

_KINDS: Final = frozenset({"preference", "profile", "fact", "decision", "reference", "note"})
_VERBS: Final = (
    r"has|have|had|hasn't|is|isn't|are|aren't|was|wasn't|were|does|doesn't|did|can|could|"
    r"would|might|seems|became|becomes|belongs|prefers|likes|dislikes|loves|hates|wants|needs|"
    r"uses|used|owns|holds|knows|speaks|studies|studied|works|worked|lives|lived|got|earned|"
    r"graduated|plays|runs|thinks|believes|moved|joined|enjoys|avoids|said|says|asked|"
    r"decided|agreed|wrote|built|teaches|taught|married|born|allergic|vegetarian"
)
_PRONOUNS: Final = r"he|she|they|him|her|his|their|theirs|them|it|its|it's|he's|she's|they're"
_POINTING: Final = rf"(?:this|that|these|those)\s+(?:{_VERBS}|means|should|must)"
_OPENS: Final = re.compile(
    rf"[\s#>*_\"'`(-]*(?:(?:also|and|but|still|currently|now|always|usually|never|often)\s+)?"
    rf"(?:{_VERBS}|{_PRONOUNS}|{_POINTING})(?![\w'/.-]*[\w/])(?!\s*[:=(])",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"\?\s*\Z")


def check_subject(record: Record) -> Reason | None:
    """Returns why a draft of a program does not say what it is about, or ``None``.

    A subject key, or a title of its own that begins with something, says it.
    """
    if record.kind not in _KINDS or record.subject.strip():
        return None
    text = visible_text(record.body or record.title)
    if _OPENS.match(text) is None or _ASKS.search(text) is not None:
        return None
    title = visible_text(record.title).rstrip("…").strip("# ")
    has_own_title = bool(title) and not text.lstrip("# ").startswith(title)
    if has_own_title and _OPENS.match(title) is None:
        return None
    return reason("claim.no-subject")
