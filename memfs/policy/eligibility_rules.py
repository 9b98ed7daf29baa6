"""The textual rules of what memory never holds, as data (A2, A49).

Narrow on purpose: they refuse standing instructions, not statements about the world.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.frozen import frozen
from memfs.policy.hints import LazyPattern

_FLAGS: Final = re.IGNORECASE


@frozen
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
        spares_people: Not asked of what a person states on a channel where people decide: in
            their mouth it is contact data or a plan, and no program acts on it.
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
    spares_people: bool = False

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
    "send make initiate schedule move"
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
_STOPPING: Final = "bypass skip stop"
_RULED: Final = (
    "memfs memory safety security approval permission admission sandbox guardrail system"
)
_ALL: Final = r"(?:all\s+|the\s+|your\s+|any\s+|its\s+){0,2}"
OPENING_WORDS: Final = frozenset(
    f"{_LEAD_WORDS} {_PAYING} {_ERASING} {_TELLING} {_CHANGING} {_STOPPING}".split()
)
"""With one of these begins every order that a rule looks for at the opening of a sentence."""
_SUM: Final = (
    r"(?:[$€£¥₿]\s?\d|\d[\d.,]*\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds|francs|btc|eth|"
    r"bitcoin)\b|\biban\b|\bbank\s+accounts?\b|\baccount\s+(?:number\s+|no\.?\s+)?[A-Z0-9-]*\d|"
    r"\b(?-i:(?=[A-Z0-9-]*-)[A-Z0-9-]*(?:ACC(?:OUN)?T|PAY|BANK|WALLET|REMIT|FUND)[A-Z0-9-]*)\b|"
    r"\b(?-i:[A-Z]{2}\d{2}[A-Z0-9]{11,})\b|\bgift\s+cards?\b)"
)
"""An amount of money, or an account that it goes to."""
_PART: Final = (
    r"(?:modules?|services?|pages?|apis?|teams?|gateways?|flows?|providers?|forms?|tests?|code|"
    r"clients?|sdks?|librar(?:y|ies)|features?|screens?|ui|events?|webhooks?|docs|tables?)\b"
)
"""What payments may be in software: a part of it moves no money."""
_PURSE: Final = (
    r"\b(?:to|into|from|against)\s+(?:(?:the|this|my|our|an?|that|new|following|same)\s+){0,3}"
    r"(?:accounts?|wallets?|payees?|cards?)\b"
)
_PERSON: Final = r"(?:[\w.+-]+@[\w-]+\.[\w.-]+|(?<!\w)@[A-Za-z][\w.-]{2,})"
_PHONE: Final = r"\+?\d[\d\s().-]{7,}\d"
_ADDRESSEE: Final = rf"(?:{_PERSON}|https?://\S+|{_PHONE}|#[a-z][\w-]{{2,}})"
_DATA: Final = (
    r"(?:data|conversations?|context|logs?|files?|contents?|credentials?|secrets?|keys?|records?|"
    r"transcripts?|histor(?:y|ies)|messages?|customers?|everything|all|copy|copies|results?|notes?|"
    r"details|information|requests?|memor(?:y|ies))"
)
_BY_ITSELF: Final = r"(?:always|automatically|immediately|whenever|every\s+time|each\s+time)"

_COMMANDS: Final = (
    ("rm", "rm", r"\brm\s+(?:-[a-z]*\s+)*-[a-z]*(?:rf|fr|r\s+-f|f\s+-r)[a-z]*\b"),
    ("mkfs", "mkfs", r"\bmkfs(?:\.\w+)?\s+/dev/"),
    (
        "dd",
        "dd",
        r"\bdd\s+if=\S+\s+of=/dev/|\bdd\b[^\n]{0,40}\bof=/dev/(?:sd|nvme|hd|disk)",
    ),
    ("drop truncate", "drop truncate", r"\b(?:drop|truncate)\s+(?:table|database|schema)\s+\w"),
    ("delete", "delete", r"\bdelete\s+from\s+\w+\s*(?:;|$)|\bvssadmin\s+delete\b"),
    ("push", "git", r"\bgit\s+push\s+(?:\S+\s+){0,3}(?:--force\b(?!-with)|-f\b)"),
    ("terraform", "terraform", r"\bterraform\s+destroy\b"),
    ("kubectl", "kubectl", r"\bkubectl\s+delete\s+(?:ns|namespace|--all)\b"),
    ("format", "format", r"\bformat\s+c:"),
    ("del", "del", r"\bdel\s+/[sfq]\b"),
    ("chmod", "chmod", r"\bchmod\s+-R\s+777\s+/"),
    ("curl wget", "curl wget", r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"),
    ("rmtree", "shutil", r"\bshutil\.rmtree\(\s*['\"]/"),
)
"""Hints, words and pattern of commands that destroy: each is looked for where its word stands."""


def _alternatives(words: str) -> str:
    return "|".join(words.split())


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
    spares_people: bool = False,
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
        spares_people=spares_people,
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
        "permission",
        "never-asks",
        hints="ask prompt",
        words="ask prompt",
        pattern=r"\b(?:never|do\s+not|don'?t|no\s+need\s+to)\s+(?:ask|prompt)\s+(?:me|us|anyone|"
        rf"anybody|the\s+user)?\s*(?:for\s+(?:\w+\s+)?{_ASKING}\b|(?:before|when|to)\s+[^.!?\n]"
        r"{0,40}\b(?:run|execut|deploy|delet|push|commit|merg|install|overwrit|command|act\b)\w*)",
        negatable=False,
    ),
    _rule(
        "approval",
        "approved-for-good",
        hints="approved authori permitted",
        words="approved authorised authorized permitted",
        pattern=r"\b(?:is|are)\s+(?:hereby\s+|now\s+)?(?:approved|authori[sz]ed|permitted)\s+(?:from\s+"
        r"now\s+on|in\s+advance|for\s+ever|forever|for\s+good|by\s+default|always|"
        r"unconditionally|without\s+review)\b",
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
        hints=_PAYING,
        words=_PAYING,
        pattern=rf"{_LEAD}(?:(?:{_alternatives(_PAYING)})\b[^.!?\n]{{0,100}}?{_SUM}|"
        rf"(?:pay|wire|remit|deposit|refund|settle|donate|withdraw)\b[^.!?\n]{{0,60}}?{_PURSE}|"
        rf"(?:pay|settle|remit)\s+(?!attention)[^.!?\n]{{0,60}}?\b(?:invoices?|bills?|balance|"
        rf"debts?|suppliers?|vendors?|payees?|payroll|fees?|rent)\b|"
        rf"(?:transfer|wire|remit|send|move|withdraw|deposit|redirect|route|refund)\s+"
        rf"[^.!?\n]{{0,60}}?\b(?:funds|money|crypto(?:currency)?|bitcoins?|gift\s+cards?|payroll|"
        rf"payments?\s+(?!{_PART})(?:[\w-]+\s+){{0,3}}?(?:to|into|through|via)\b)|"
        rf"(?:make|initiate|schedule|send)\s+(?:(?:an?|the|all|any|every|this|that|monthly|weekly|"
        rf"recurring)\s+){{0,2}}(?:[\w-]+\s+)?(?:payments?|transfers?|purchases?|deposits?|"
        rf"donations?)\s+(?:to|of|from)\b)",
        opens_sentence=True,
    ),
    *(
        _rule(
            "destructive",
            "destructive-command",
            hints=hints,
            words=words,
            pattern=pattern,
            spares_warnings=True,
        )
        for hints, words, pattern in _COMMANDS
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
        hints=_TELLING,
        words=_TELLING,
        pattern=rf"{_LEAD}(?:(?:send|e-?mail|message|forward|cc|bcc|dm|tweet|notify|upload|exfiltrate|"
        rf"share|post|submit)\b(?!\s*[-:/@|\"=])[^!?\n]{{0,200}}?{_PERSON}|"
        rf"(?:send|forward|upload|exfiltrate|post|submit)\b(?!\s*[-:/@|\"=])[^!?\n]{{0,120}}?"
        rf"\b{_DATA}\b[^!?\n]{{0,120}}?https?://\S+)",
        opens_sentence=True,
    ),
    _rule(
        "contact",
        "contacts-someone",
        hints="always automatically immediately whenever every each",
        words="always automatically immediately whenever every each",
        pattern=rf"\b{_BY_ITSELF}\b[^.!?\n]{{0,80}}?\b(?:call|text|phone|message|ring)\b"
        rf"[^.!?\n]{{0,60}}?{_PHONE}",
    ),
    _rule(
        "contact",
        "contacts-someone",
        hints=_TELLING,
        words=_TELLING,
        pattern=rf"{_LEAD}(?:send|e-?mail|message|text|call|phone|notify|forward|cc|bcc|dm|post|"
        rf"tweet|reply|share|report|upload|exfiltrate|submit|contact\s+\w+\s+at)\b(?!\s*[-:/@|\""
        rf"=])[^!?\n]{{0,200}}?{_ADDRESSEE}",
        opens_sentence=True,
        spares_people=True,
    ),
    _rule(
        "policy-change",
        "changes-safety",
        hints=_RULED,
        words=_RULED,
        pattern=rf"{_LEAD}(?:(?:disable|turn\s+off|switch\s+off|override|lower|relax|weaken)\s+"
        rf"{_ALL}(?:memfs|memory|safety|security|approval|permission|admission|sandbox|guardrail)|"
        rf"(?:change|update|modify|set|remove|replace|rewrite|delete)\s+{_ALL}(?:memfs|safety|"
        rf"approval|permission|admission|guardrail))\s+(?:polic(?:y|ies)|settings?|rules?|checks?|"
        rf"filters?|guards?|guardrails?|modes?|prompts?|instructions?|levels?)\b",
        opens_sentence=True,
    ),
    _rule(
        "policy-change",
        "changes-safety",
        hints=_RULED,
        words=_RULED,
        pattern=rf"{_LEAD}(?:change|update|modify|disable|turn\s+off|switch\s+off|override|set|"
        rf"remove|lower|relax|weaken|replace|rewrite|delete)\s+{_ALL}(?:memory|security|sandbox|"
        rf"system)\s+(?:polic(?:y|ies)|settings?|rules?|checks?|filters?|guards?|guardrails?|"
        rf"modes?|prompts?|instructions?|levels?)\b",
        opens_sentence=True,
        spares_people=True,
    ),
    _rule(
        "policy-change",
        "stops-screening",
        hints="screening scanning detection",
        words="screening scanning detection",
        pattern=rf"{_LEAD}(?:disable|turn\s+off|switch\s+off|bypass|skip|stop)\s+{_ALL}(?:secrets?|"
        r"credentials?|personal[ -]data|injection)\s+(?:screening|scanning|detection)\b",
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
