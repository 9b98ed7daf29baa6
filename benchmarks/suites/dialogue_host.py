"""What a host knows of a conversation that it lets several people ask: classes, grants, deletions.

memfs decides who reads what from the class of a record and the grants in the ledger; which
class a sentence has, and whom a relationship lets in, is for the host that writes them. This
host is deterministic and coarse: word lists of the two fields, no names of any case. A record
has the strictest class that fits, a request is no claim, and a sentence that deletes something
is an operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final


def _words(*stems: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(stems)})\w*", re.IGNORECASE)


FINDING: Final = _words(
    "result", "showed", "shows", "impression", "finding", "positive", "negative", "diagnos",
    "detect", "undetect", "viral load", "viab", "malign", "benign", "cancer", "tumou?r", "lesion",
    "mass", "suspicio", "concern", "because", "level", "cytolog", "interpret", "value", "elevated",
    "abnormal", "normal", "stage", "grade", "symptom", "histor",
)  # fmt: skip
CLINICAL: Final = _words(
    "labs?\\b", "beta", "hemoglobin", "ultrasound", "imaging", "biops", "patholog", "mri", "ct\\b",
    "ecg", "ekg", "eeg", "scan", "pain", "bleed", "fever", "nausea", "rash", "blood", "pressure",
    "infect", "infus", "hiv", "syphilis", "hepat", "seizure", "lupus", "thyroid", "nodule",
    "kidney", "liver", "psych", "panic", "anxiety", "depress", "pregnan", "miscarr", "clot",
    "stroke", "relapse", "melanoma", "hormon", "steroid", "treatment", "therapy", "clinical",
    "condition", "chart", "workup", "screen", "culture", "potassium", "creatinine", "glucose",
    "ascites", "an[a]?emia", "stool", "colonoscop", "surg", "nephro", "rheumat", "neuro", "onco",
    "cardio", "urolog", "gastro", "\\bgi\\b", "heartbeat", "excision", "injection", "procedure",
)  # fmt: skip
MEDICATION: Final = re.compile(
    r"\b(?:mg|mcg|milligram|microgram|tablet|capsule|dose|dosing|medication|medicine|refill|"
    r"pharmac|allerg|prescri|units|inhaler|gel|cream|pill|antibiotic|antacid|vitamin|nsaid|"
    r"over-the-counter)\w*|\b\d+ ?ml\b",
    re.IGNORECASE,
)
CONTACT: Final = re.compile(
    r"\d{3}-\d{3,4}|\b(?:callback|call-back|voicemail|lodging|shelter|alias|extension|gate code|"
    r"safe (?:line|number|phone|contact)|direct mobile|outreach)\w*",
    re.IGNORECASE,
)
CONSENT: Final = _words(
    "family", "mother", "mom\\b", "sister", "brother", "father", "husband", "wife", "spouse",
    "access", "consent", "authori[sz]", "permission", "revok", "disclos", "logistics-only",
)  # fmt: skip
BILLING: Final = _words(
    "billing", "statement", "insurance", "eob", "explanation-of-benefits", "copay", "estimate",
    "prior auth", "coverage", "coded", "coding",
)  # fmt: skip
WHEN: Final = re.compile(
    r"\b\d{1,2}:\d\d|\b\d{1,2} ?(?:am|pm)\b|nothing by mouth|\barriv|\bcheck-in", re.IGNORECASE
)
PLACE: Final = _words("suite", "room", "floor", "parking", "voucher", "ride", "transport", "slot")
MONEY: Final = _words("budget", "usd", "discount", "price", "pricing", "\\d+%")
REQUEST: Final = re.compile(
    r"\?\s*$|\b(?:tell me|give me|send me|i (?:only|just) need|just confirm|fill in|"
    r"i want to know|yes or no|finish (?:it|this|that|the)|complete (?:it|this|that))\b",
    re.IGNORECASE,
)

DELETES: Final = re.compile(
    r"\b(?:delet|remov|clear|eras|purg|wip|forget|forgot|retir|unavailable|do not retain|"
    r"restated|replac)\w*",
    re.IGNORECASE,
)
_DELETES_FIRST: Final = re.compile(
    r"\W*(?:please |also |now )*(?:delete|remove|clear|erase|purge|wipe|forget|do not retain)\b",
    re.IGNORECASE,
)
_STAYS: Final = re.compile(
    r"\b(?:active|current(?:ly)?|keep(?:ing)?|retain(?:ing)?|instead|going forward|may still|"
    r"broad|now)\b",
    re.IGNORECASE,
)
_IS_DELETED: Final = re.compile(
    r"\b(?:be|treated as|are|is) (?:now )?(?:deleted|unavailable|retired|removed)\b", re.IGNORECASE
)
_CLAUSE: Final = re.compile(
    r"(?<=[.!;])\s+|;\s*|,\s+(?:but|while)\s+|"
    r", (?:and )?(?=keep|retain|only|leaving|the active|the current)",
    re.IGNORECASE,
)
_FORMER: Final = re.compile(
    r"\b(?:replac(?:es|ing)|earlier|old|previous|prior|deleted|retired|historical)\b[^.;,]{0,60}",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    r"\d{3}-\d{3}-\d{4}|\d{3}-\d{4}|\b[A-Za-z]+_[A-Za-z]+_[\w-]+|\b[A-Za-z]+(?:-[A-Za-z]+)*-\d+\b|"
    r"['‘“\"](?P<quoted>[^'’”\"]{4,80})['’”\"]|"
    r"\b(?:extension|ext\.?|room|unit|alias|code|pin)\s+[\w-]+|\b[A-Z]{2,}-?\d+\b|\b\d{4,}\b|"
    r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b"
)
_ORDERED: Final = re.compile(r"^(?:Please|Also|Delete|Remove|Clear|Erase|Purge|Wipe|Forget)\s+")
_TOKEN: Final = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*_)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+){2,}\b")
_LABELLED: Final = re.compile(r"(?i)^(?:alias|ask for)\s+(?P<name>\w+)$")
_SHORTEST: Final = 3

MEDICAL_GRANTS: Final[Mapping[str, frozenset[str]]] = {
    "patient": frozenset(
        {
            "clinical",
            "medication",
            "contact",
            "consent",
            "billing",
            "schedule",
            "logistics",
            "other",
        }
    ),
    "nurse": frozenset(
        {"clinical", "medication", "contact", "consent", "schedule", "logistics", "other"}
    ),
    "clinician": frozenset(
        {"clinical", "medication", "contact", "consent", "schedule", "logistics", "other"}
    ),
    "pharmacist": frozenset({"medication", "schedule"}),
    "scheduler": frozenset({"schedule", "logistics"}),
    "reception": frozenset({"logistics", "consent"}),
    "social_worker": frozenset({"contact", "consent", "schedule", "logistics", "other"}),
    "billing": frozenset({"billing"}),
    "lab_tech": frozenset({"clinical", "schedule", "logistics"}),
    "family_member": frozenset({"logistics"}),
}
_INSIDERS: Final = frozenset(
    {
        "project_member",
        "budget_owner",
        "legal_reviewer",
        "executive_sponsor",
        "procurement_owner",
        "operations_owner",
    }
)


@dataclass(frozen=True, slots=True)
class Access:
    """What one person may read: classes of one subject, and whether it was taken back since."""

    subject: str
    classes: frozenset[str]


def is_request(text: str) -> bool:
    """Tells whether somebody asks instead of stating something."""
    return REQUEST.search(text) is not None


def medical_class(text: str) -> str:
    """Returns the class of a sentence about a patient, the strictest that fits."""
    if CONTACT.search(text):
        return "contact"
    if BILLING.search(text) and not FINDING.search(text):
        return "billing"
    if WHEN.search(text) and not FINDING.search(text):
        is_plain = not CLINICAL.search(text) and not MEDICATION.search(text)
        return "logistics" if is_plain else "schedule"
    if MEDICATION.search(text):
        return "medication"
    if CLINICAL.search(text) or FINDING.search(text):
        return "clinical"
    if CONSENT.search(text):
        return "consent"
    return "logistics" if PLACE.search(text) else "other"


def office_class(text: str) -> str:
    """Returns the class of a sentence about a project: money apart from the rest."""
    return "commercial" if MONEY.search(text) else "project"


def deleted_values(text: str, participants: Iterable[str] = ()) -> frozenset[str]:
    """Returns the exact values that a statement withdraws: numbers, names, codes and quotes.

    A clause that says what stays contributes nothing but what it calls former. Somebody who
    takes part is never deleted by being named: that takes their access back.
    """
    if not DELETES.search(text):
        return frozenset()
    found: set[str] = set()
    for clause in _CLAUSE.split(text):
        if not DELETES.search(clause):
            continue
        is_about_deletion = _DELETES_FIRST.match(clause) or _IS_DELETED.search(clause)
        if _STAYS.search(clause) and not is_about_deletion:
            continue
        found.update(_values(clause))
    for former in _FORMER.finditer(text):
        found.update(_values(re.split(r"(?i)\b(?:current|active|now)\b", former[0])[0]))
    named = {name.casefold() for name in participants}
    return frozenset(
        value for value in found if len(value) >= _SHORTEST and value.casefold() not in named
    )


def _values(text: str) -> Iterable[str]:
    for match in _VALUE.finditer(text):
        value = _ORDERED.sub("", (match["quoted"] or match[0]).strip())
        yield value.rpartition("=")[2].strip()
        labelled = _LABELLED.match(value)
        if labelled:
            yield labelled["name"]


def without_credentials(text: str) -> str:
    """Returns a sentence with words that look like tokens taken out, for one that was refused."""
    return _TOKEN.sub("(a credential)", text)


def says_any(text: str, values: Iterable[str]) -> bool:
    """Tells whether ``text`` holds one of ``values`` as words of their own."""
    return any(
        re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) for value in values
    )


def revokes(text: str, names: Sequence[str]) -> bool:
    """Tells whether a statement takes a relative's access back."""
    return bool(
        re.search(r"revok|no longer|do not (?:share|release|give)|remov", text, re.IGNORECASE)
        and (CONSENT.search(text) or any(name in text for name in names))
    )


def subject_of(text: str, speaker: str, others: Mapping[str, str], main: str) -> str:
    """Returns the subject of a sentence: another patient where it names or is one.

    Args:
        text: The sentence.
        speaker: Principal id of the speaker.
        others: First name by principal id of everybody else that a record can be about.
        main: The subject of the conversation.
    """
    for identifier, name in others.items():
        if speaker == identifier or re.search(rf"\b{re.escape(name)}\b", text):
            return identifier
    return main


def medical_access(entities: Mapping[str, Any], asker: str, role: str, main: str) -> Access:
    """Returns what relationships and role let one asker read before anything was revoked."""
    if role == "patient":
        return Access(asker, MEDICAL_GRANTS["patient"])
    if role == "clinician":
        is_assigned = any(
            item.get("clinician_id") == asker and item.get("patient_id") == main
            for item in entities.get("relationships", ())
            if item["type"] == "assigned_clinician"
        )
        return Access(main, MEDICAL_GRANTS["clinician"] if is_assigned else frozenset())
    return Access(main, MEDICAL_GRANTS.get(role, frozenset()))


def office_access(entities: Mapping[str, Any], asker: str, role: str, main: str) -> Access:
    """Returns what project membership lets one asker read; sponsors see no exact figures."""
    is_inside = any(
        item.get("principal_id") == asker and item.get("project_id") == main
        for item in entities.get("relationships", ())
        if item["type"] in _INSIDERS
    )
    if not is_inside or role == "sales":
        return Access(main, frozenset())
    return Access(main, frozenset({"project", "commercial"}))
