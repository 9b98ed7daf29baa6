"""What memory never holds, whoever says it (A2, A19, A49): refused, and nothing of it stored.

Permissions, approvals, payments, destructive commands, instructions to contact someone,
changes of policy, hidden reasoning, what code or Git can tell, bulk, and memory's own
output. The rules are narrow on purpose: they refuse standing instructions, not statements
about the world, and a sentence that forbids something is never refused. They are a tidy
inbox, not the defence; the defence is that origin and promotion are not text (DESIGN §2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memfs.model.decision import Reason
from memfs.model.limits import BODY_BYTES
from memfs.model.markers import has_packet_mark
from memfs.model.record import Record
from memfs.policy.action_fields import action_field
from memfs.policy.derivable import is_derivable
from memfs.policy.hints import LazyPattern, is_hinted, longest_run, words_in
from memfs.policy.reasons import reason
from memfs.policy.sentences import is_forbidden

_FLAGS: Final = re.IGNORECASE


@dataclass(frozen=True, slots=True, kw_only=True)
class EligibilityRule:
    """A pattern of something that is refused.

    Attributes:
        code: Reason code.
        name: Name of the rule, the detail of the reason.
        hints: One of these stands in every match, case folded; the pattern is not tried
            without one.
        words: One of these stands in every match as a whole word; empty when none must.
        lazy: What it looks like.
        is_negatable: A sentence that forbids it is no instance of it.
        spares_warnings: A person's warning may mention it.
        is_instruction: About what a claim tells a reader to do. Evidence quotes its source and
            tells nobody anything, so that it is not refused for what the source says.
        opens_sentence: An order: it counts only where a sentence or a list item begins.
    """

    code: str
    name: str
    hints: tuple[str, ...]
    words: frozenset[str]
    lazy: LazyPattern
    is_negatable: bool = True
    spares_warnings: bool = False
    is_instruction: bool = True
    opens_sentence: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return self.lazy.compiled()


_AGENT: Final = (
    r"(?:you|(?:the|this|any|every|all|our|my|an?)\s+(?:ai\s+)?(?:agents?|assistants?|models?|"
    r"bots?|copilot)|ai|claude|codex|cursor|gemini|copilot)"
)
_ASKING: Final = (
    r"(?:asking|approval|approvals|confirmation|confirming|permission|consent|review|oversight|"
    r"verification|authori[sz]ation|prompting)"
)
_OPENING: Final = re.compile(r"[.!?;:\n>*\"'#)\],-](?:(?<![,-])|(?<=[\n ]-)\s|(?<=,) then\s)\s*")
"""After what a sentence or an item of a list may begin; one begins the text as well."""
_BLANKS: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z]*")
_LEAD: Final = (
    r"(?:(?:please|always|then|also|now|first|next|kindly|automatically|immediately|and|you must|"
    r"you should|you need to|make sure to|be sure to|remember to|todo:?|important:?)[\s,:]+){0,4}"
)
_LEAD_WORDS: Final = (
    "please always then also now first next kindly automatically immediately and you make be "
    "remember todo important"
)
_PAYING: Final = (
    "pay transfer wire remit deposit refund settle donate withdraw purchase buy route redirect "
    "send make initiate schedule"
)
_ERASING: Final = "delete erase wipe destroy purge"
_TELLING: Final = (
    "send e mail email message text call phone notify forward cc bcc dm post tweet reply share "
    "report upload exfiltrate submit contact"
)
_CHANGING: Final = (
    "change update modify disable turn switch override set remove lower relax weaken replace "
    "rewrite delete"
)
OPENING_WORDS: Final = frozenset(
    f"{_LEAD_WORDS} {_PAYING} {_ERASING} {_TELLING} {_CHANGING}".split()
)
"""With one of these begins every order that a rule looks for at the opening of a sentence."""
_MONEY: Final = (
    r"(?:[$€£¥₿]\s?\d|\d[\d.,]*\s?(?:usd|eur|gbp|dollars?|euros?|btc|eth|bitcoin)|\biban\b|"
    r"\b(?:bank\s+)?accounts?\b|\binvoices?\b|\bfunds\b|\bmoney\b|\bgift\s+cards?\b|\bwallets?\b|"
    r"\bpayments?\b|\bpayee\b|\bbalance\b|\b[A-Z]{2}\d{2}[A-Z0-9]{11,}\b)"
)
_ADDRESSEE: Final = (
    r"(?:[\w.+-]+@[\w-]+\.[\w.-]+|https?://\S+|(?<!\w)@[A-Za-z][\w.-]{2,}|\+?\d[\d\s().-]{7,}\d|"
    r"#[a-z][\w-]{2,})"
)


def _rule(
    code: str,
    name: str,
    *,
    hints: str,
    pattern: str,
    words: str = "",
    negatable: bool = True,
    spares_warnings: bool = False,
    is_instruction: bool = True,
    opens_sentence: bool = False,
) -> EligibilityRule:
    flags = _FLAGS | re.MULTILINE
    return EligibilityRule(
        code=f"eligibility.{code}",
        name=name,
        hints=tuple(hints.split()),
        words=frozenset(words.split()),
        lazy=LazyPattern(pattern, flags),
        is_negatable=negatable,
        spares_warnings=spares_warnings,
        is_instruction=is_instruction,
        opens_sentence=opens_sentence,
    )


RULES: Final[tuple[EligibilityRule, ...]] = (
    _rule(
        "permission",
        "acts-without-asking",
        hints="without",
        words="without",
        pattern=r"\b(?:run|execute|deploy|push|delete|send|pay|transfer|merge|install|commit|"
        r"approve|proceed|act|share|modify|overwrite|remove|publish|settle|use\s+sudo|"
        r"grant)\w*\b[^.!?\n]{0,80}\bwithout\s+"
        rf"(?:any\s+|further\s+|prior\s+|human\s+|user\s+|my\s+|explicit\s+|"
        rf"additional\s+){{0,3}}{_ASKING}\b",
    ),
    _rule(
        "permission",
        "agent-is-allowed",
        hints="allowed permitted authori cleared trusted granted approved",
        words="allowed permitted authorised authorized cleared trusted approved "
        "preapproved granted",
        pattern=rf"\b{_AGENT}\s+(?:are|is|have\s+been|has\s+been|were|was)\s+(?:hereby\s+|now\s+|fully\s+|"
        r"already\s+|always\s+|permanently\s+){0,3}(?:(?:allowed|permitted|authori[sz]ed|cleared|"
        r"trusted|pre-?approved)\s+(?:to|for\s+(?:all|any|every))|"
        r"granted\s+(?:\w+\s+){0,2}(?:access|permissions?|rights|privileges|approval))\b",
    ),
    _rule(
        "permission",
        "agent-has-permission",
        hints="permission authori consent privileges clearance",
        words="permission permissions authorisation authorization consent privileges clearance",
        pattern=rf"\b{_AGENT}\s+(?:now\s+|already\s+){{0,2}}(?:have|has|"
        rf"possess(?:es)?)\s+(?:my\s+|full\s+|admin\s+|"
        r"root\s+|unrestricted\s+|complete\s+|standing\s+|blanket\s+|explicit\s+|"
        r"the\s+){0,3}(?:permissions?|authori[sz]ation|consent|privileges|clearance)\b",
    ),
    _rule(
        "permission",
        "skips-confirmation",
        hints="skip bypass disable suppress omit ignore turn",
        words="skip bypass disable suppress omit ignore turn",
        pattern=r"\b(?:skip|bypass|disable|suppress|omit|ignore|turn\s+off)\s+(?:all\s+|the\s+|"
        r"any\s+|every\s+|further\s+|future\s+|user\s+|human\s+|tool\s+){0,3}(?:confirmations?|"
        r"approvals?|permission\s+(?:prompts?|checks?|requests?)|consent|"
        r"authori[sz]ation\s+checks?|safety\s+checks?|security\s+checks?)\b",
    ),
    _rule(
        "permission",
        "no-confirmation-needed",
        hints="ask confirm check approval permission consent review oversight verification "
        "authori prompting",
        words="no not don dont doesn doesnt never",
        pattern=rf"\bno\s+(?:further\s+|additional\s+|user\s+|human\s+|"
        rf"explicit\s+){{0,2}}{_ASKING}\s+(?:is\s+|are\s+)?"
        r"(?:needed|required|necessary)\b|\b(?:do(?:es)?\s+not|don'?t|doesn'?t|never|"
        r"no\s+longer)\s+(?:need|have|needs|has)\s+to\s+(?:ask|confirm|check\s+with)\b",
        negatable=False,
    ),
    _rule(
        "approval",
        "pre-approved",
        hints="approve authori skip-permissions",
        pattern=r"\b(?:is|are|been|as|be|considered)\s+(?:hereby\s+|now\s+|fully\s+|already\s+|"
        r"always\s+|automatically\s+){0,3}pre-?(?:approved|authori[sz]ed)\b|\b(?:is|are|be|"
        r"considered|as)\s+auto-?approved\b|\bauto-?approve\s+\w|\b(?:always|"
        r"automatically)\s+approve\b|\bapprove\s+(?:all|any|every)\b|"
        r"\bdangerously-skip-permissions\b",
    ),
    _rule(
        "approval",
        "approves-all",
        hints="approve authori consent permit",
        pattern=r"\b(?:i|we|(?:the\s+)?(?:user|owner|admin|administrator|"
        r"operator))\s+(?:hereby\s+|have\s+|has\s+|already\s+){0,3}(?:approved?|authori[sz]ed?|"
        r"consents?|consented|permits?|permitted)\s+(?:to\s+)?"
        rf"(?:all|any|every|future|{_AGENT})\b",
    ),
    _rule(
        "payment",
        "moves-money",
        hints="pay transfer wire remit deposit refund settle donate withdraw purchase buy route "
        "redirect send make initiate schedule",
        words=_PAYING,
        pattern=rf"{_LEAD}(?:pay|transfer|wire|remit|deposit|refund|settle|donate|withdraw|"
        rf"purchase|buy|route|redirect|send|make|initiate|"
        rf"schedule)\b[^.!?\n]{{0,100}}?{_MONEY}[^.!?\n]{{0,100}}",
        opens_sentence=True,
    ),
    _rule(
        "destructive",
        "destructive-command",
        hints="rm mkfs dd drop truncate delete push terraform kubectl format del chmod curl wget "
        "rmtree vssadmin",
        words="rm mkfs dd drop truncate delete git terraform kubectl format del chmod curl wget "
        "shutil vssadmin",
        pattern=r"\brm\s+(?:-[a-z]*\s+)*-[a-z]*(?:rf|fr|r\s+-f|f\s+-r)[a-z]*\b|"
        r"\bmkfs(?:\.\w+)?\s+/dev/|\bdd\s+if=\S+\s+of=/dev/|\bdd\b[^\n]{0,40}\bof=/dev/(?:sd|"
        r"nvme|hd|disk)|\b(?:drop|truncate)\s+(?:table|database|"
        r"schema)\s+\w|\bdelete\s+from\s+\w+\s*(?:;|$)|"
        r"\bgit\s+push\s+(?:\S+\s+){0,3}(?:--force\b(?!-with)|-f\b)|\bterraform\s+destroy\b|"
        r"\bkubectl\s+delete\s+(?:ns|namespace|--all)\b|\bformat\s+c:|\bdel\s+/[sfq]\b|"
        r"\bchmod\s+-R\s+777\s+/|\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|"
        r"\bshutil\.rmtree\(\s*['\"]/|\bvssadmin\s+delete\b",
        spares_warnings=True,
    ),
    _rule(
        "destructive",
        "destructive-command",
        hints=":()",
        pattern=r":\(\)\s*\{\s*:\|:&\s*\};:",
        spares_warnings=True,
    ),
    _rule(
        "destructive",
        "deletes-everything",
        hints="delete erase wipe destroy purge",
        words=_ERASING,
        pattern=rf"{_LEAD}(?:delete|erase|wipe|destroy|purge)\s+(?:all|every|everything|"
        rf"the\s+entire|the\s+whole|"
        r"each)\b",
        opens_sentence=True,
    ),
    _rule(
        "contact",
        "contacts-someone",
        hints="send mail message text call phone notify forward cc dm post tweet reply share "
        "report upload exfiltrate submit contact",
        words=_TELLING,
        pattern=rf"{_LEAD}(?:send|e-?mail|message|text|call|phone|notify|forward|cc|bcc|dm|post|"
        rf"tweet|reply|share|report|upload|exfiltrate|submit|contact\s+\w+\s+at)\b(?!\s*[:/@|\""
        rf"=])[^!?\n]{{0,200}}?{_ADDRESSEE}",
        opens_sentence=True,
    ),
    _rule(
        "policy-change",
        "changes-safety",
        hints="memfs memory safety security approval permission admission sandbox guardrail system",
        words="memfs memory safety security approval permission admission sandbox guardrail system",
        pattern=rf"{_LEAD}(?:change|update|modify|disable|turn\s+off|switch\s+off|override|set|"
        rf"remove|lower|"
        r"relax|weaken|replace|rewrite|delete)\s+(?:all\s+|the\s+|your\s+|any\s+|"
        r"its\s+){0,2}(?:memfs|memory|safety|security|approval|permission|admission|sandbox|"
        r"guardrail|system)\s+(?:polic(?:y|ies)|settings?|rules?|checks?|filters?|guards?|"
        r"guardrails?|modes?|prompts?|instructions?|levels?)\b",
        opens_sentence=True,
    ),
    _rule(
        "policy-change",
        "changes-trust",
        hints="trust.",
        pattern=r"\btrust\.(?:scripted|hand_edits|agent_quotes)\b",
    ),
    _rule(
        "hidden-reasoning",
        "reasoning-block",
        hints="< chain hidden internal reasoning thinking",
        pattern=r"<\s*/?\s*(?:think|thinking|reasoning|scratchpad|inner_monologue|"
        r"chain_of_thought|analysis)\s*>|<\|(?:thinking|reasoning|channel)\|>|^[ \t]*(?:chain[ "
        r"-]of[ -]thought|hidden reasoning|internal monologue)\s*:|\"(?:reasoning_content|"
        r"thinking_blocks?)\"\s*:",
        negatable=False,
        is_instruction=False,
    ),
)
"""Every textual rule, in the order of their reasons."""

_SOURCES: Final = frozenset({"evidence", "receipt"})
_UNBROKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{2000,}")
_UNBROKEN_CHARS: Final = 2000


def check_eligibility(record: Record, text: str, *, is_person: bool) -> tuple[Reason, ...]:
    """Returns why a draft may never be kept, each code once; empty when it may.

    Args:
        record: The draft.
        text: All its words (see ``content.text_of``).
        is_person: A person stated it on a channel where people decide.
    """
    if len(text) > 2 * BODY_BYTES or _is_unbroken(text):
        return (reason("eligibility.bulk"),)
    found: dict[str, Reason] = {}
    if has_packet_mark(text):
        found["eligibility.packet-echo"] = reason("eligibility.packet-echo")
    field = action_field(record)
    if field:
        found["eligibility.grants-action"] = reason("eligibility.grants-action", field)
    is_warning = is_person and record.kind == "warning"
    is_source = record.kind in _SOURCES
    folded = text.casefold()
    words = words_in(text)
    openings: tuple[int, ...] | None = None
    for rule in RULES:
        is_spared = (rule.spares_warnings and is_warning) or (rule.is_instruction and is_source)
        if is_spared or rule.code in found:
            continue
        if words is not None and rule.words and words.isdisjoint(rule.words):
            continue
        if not is_hinted(rule.hints, folded):
            continue
        if openings is None:
            openings = tuple(at for at in openings_of(text) if _may_order(text, at))
        if is_matching(rule, text, openings):
            found[rule.code] = reason(rule.code, rule.name)
    if is_derivable(record.body):
        found["eligibility.derivable"] = reason("eligibility.derivable")
    return tuple(found.values())


def openings_of(text: str) -> tuple[int, ...]:
    """Returns where sentences and list items of a text begin, in order."""
    blanks = _BLANKS.match(text)
    start = blanks.end() if blanks else 0
    found = (match.end() for match in _OPENING.finditer(text, start))
    return tuple(dict.fromkeys((start, *found)))


def _may_order(text: str, opening: int) -> bool:
    """Tells whether a sentence begins with a word that an order begins with, or a strange one."""
    word = _WORD.match(text, opening)
    if word is None:
        return True
    return word[0].lower() in OPENING_WORDS or not text[word.end() : word.end() + 1].isascii()


def _is_unbroken(text: str) -> bool:
    return (
        len(text) >= _UNBROKEN_CHARS
        and longest_run(text) >= _UNBROKEN_CHARS
        and _UNBROKEN.search(text) is not None
    )


def is_matching(rule: EligibilityRule, text: str, openings: Sequence[int]) -> bool:
    """Tells whether a rule holds somewhere in a text in a sentence that does not forbid it.

    Args:
        rule: The rule.
        text: All words of a submission.
        openings: Where its sentences begin (see :func:`openings_of`), at least those that
            begin with an order.
    """
    found: Iterable[re.Match[str] | None]
    if rule.opens_sentence:
        found = (rule.pattern.match(text, start) for start in openings)
    else:
        found = rule.pattern.finditer(text)
    return any(
        match is not None
        and not (rule.is_negatable and is_forbidden(text, match.start(), match.end()))
        for match in found
    )
