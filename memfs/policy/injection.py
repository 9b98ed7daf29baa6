"""Hints that a text talks to an agent instead of stating something.

A hint is a reason for a person to look, never the defence and never claimed complete:
published suites show that patterns stop a small part. What counts is where a text came
from. A person's own statement is asked only about what people do not write by themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from memfs.policy.hidden import visible_text


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRule:
    """One rule.

    Attributes:
        name: Stable name, the detail of a reason.
        pattern: What it looks like in the visible form of a text.
        asks_people: Whether it also counts in what a person states.
    """

    name: str
    pattern: re.Pattern[str]
    asks_people: bool = False


def _rule(name: str, pattern: str, *, people: bool = False) -> InjectionRule:
    compiled = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    return InjectionRule(name=name, pattern=compiled, asks_people=people)


_ORDERS: Final = (
    r"(?:instructions?|prompts?|rules|directions?|guidelines|context|commands?|orders|policies)"
)

RULES: Final[tuple[InjectionRule, ...]] = (
    _rule(
        "ignore-previous",
        r"\b(?:ignore|disregard|forget|override|bypass|drop)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|"
        r"my\s+|of\s+){0,4}(?:previous|prior|above|earlier|preceding|existing|original|initial|system)"
        r"\b",
    ),
    _rule(
        "ignore-orders",
        r"\b(?:ignore|disregard|forget|override|bypass|drop)\s+(?:\w+\s+){0,4}?(?:previous|prior|above|"
        rf"earlier|preceding|existing|original|initial|system)\s+(?:\w+\s+){{0,2}}?{_ORDERS}\b",
        people=True,
    ),
    _rule(
        "ignore-rules",
        rf"\b(?:ignore|disregard|forget)\s+(?:all|any|every|your)\s+{_ORDERS}\b",
        people=True,
    ),
    _rule(
        "ignore-german",
        r"\b(?:ignoriere|vergiss|missachte)\s+(?:alle|die|deine)\s+\w+",
        people=True,
    ),
    _rule(
        "ignore-romance",
        r"\b(?:ignora|ignorez|ignore|olvida|oubliez)\s+(?:todas?|toutes?|las?|les)\s+\w+",
    ),
    _rule(
        "ignore-other",
        r"忽略(?:之前|以上|所有)|игнорируй\w*\s+(?:все|предыдущ)|تجاهل\s+(?:جميع|كل)",
    ),
    _rule(
        "new-instructions",
        rf"\b(?:new|updated|revised|real|actual|following)\s+(?:system\s+)?{_ORDERS}\s*:",
        people=True,
    ),
    _rule(
        "strictly-adhere",
        r"\b(?:strictly\s+)?(?:adhere\s+to|follow|obey|comply\s+with)\s+the\s+following\b",
    ),
    _rule(
        "important-message",
        r"\bimportant\s+(?:message|instructions?|notice|override|update)\b|^[^\w\n]{0,20}important!{2,}",
    ),
    _rule(
        "before-you",
        r"\bbefore\s+you\s+(?:can\s+)?(?:solve|answer|continue|proceed|respond|do|start)\b",
    ),
    _rule(
        "role-tag",
        r"<\s*/?\s*(?:system|assistant|user|instructions?|information|im_start|im_end|s|inst)\s*>|<\|[a-z_]+\|>|\[/?INST\]|^#{2,}\s*\(?system",
        people=True,
    ),
    _rule(
        "role-prefix",
        r"^[ \t]*(?:system|assistant|developer)(?:\s+(?:prompt|message|note|override))?\s*:\s*\S",
    ),
    _rule(
        "role-change",
        r"\byou\s+are\s+(?:now|no\s+longer|actually)\b|\b(?:act|behave|respond)\s+as\s+(?:if|an?|the)\b|\bpretend\s+(?:to\s+be|you)\b",
    ),
    _rule(
        "fence-closing",
        r"</\s*(?:memory|context|document|tool_result|data|untrusted|packet|result)\s*>|^-{3,}\s*end\s+of\s+\w+",
        people=True,
    ),
    _rule(
        "persist-order",
        r"\b(?:from\s+now\s+on|going\s+forward|in\s+(?:all\s+)?future\s+(?:sessions?|conversations?|tasks?|turns?)|for\s+all\s+future|every\s+time\s+(?:you|the\s+user))\b",
    ),
    _rule(
        "remember-order",
        r"\b(?:remember|memori[sz]e|store|save|write|add|record)\b"
        r"[^.\n]{0,40}\b(?:memory|long[- ]term|permanently|for\s+later|in\s+memory)\b",
    ),
    _rule(
        "standing-preference",
        r"\b(?:standing|permanent|saved|existing)\s+(?:preference|instruction|rule|order|policy)\b",
    ),
    _rule(
        "claims-user",
        r"\bthe\s+user\s+(?:has\s+|had\s+|already\s+)*(?:asked|requested|confirmed|agreed|wants|said|approved|authori[sz]ed|prefers)\b",
    ),
    _rule(
        "claims-authority",
        r"\b(?:admin(?:istrator)?|security\s+team|compliance|management|ceo|developer|openai|anthropic)\b[^.\n]{0,40}\b(?:requires?|orders?|mandates?|instructs?|authori[sz]es?|override)\b",
    ),
    _rule(
        "conceal",
        r"\b(?:do\s+not|don'?t|never|without)\s+(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|alert(?:ing)?|disclos(?:e|ing))\b[^.\n]{0,30}\b(?:user|anyone|human|person|them|owner|operator|this)\b",
    ),
    _rule(
        "silently",
        r"\b(?:silently|secretly|covertly|discreetly|quietly|in\s+the\s+background)\s+(?:\w+\s+)?(?:send|forward|copy|upload|run|execute|add|include|append|log|share|delete|post)\b",
        people=True,
    ),
    _rule(
        "exfiltrate",
        r"\b(?:send|post|upload|forward|exfiltrate|transmit|leak|report|submit|e-?mail)\b[^.\n]{0,80}(?:https?://|\bto\s+[\w.+-]+@[\w-]+\.\w+|\bwebhook\b)",
    ),
    _rule(
        "reveals-prompt",
        r"\b(?:reveal|print|show|repeat|output|leak|dump)\b[^.\n]{0,30}\b(?:system\s+prompt|instructions|hidden\s+prompt|api\s+keys?|credentials|secrets|passwords)\b",
    ),
    _rule(
        "tool-call",
        r"\b(?:call|invoke|use|execute|run|trigger)\s+(?:the\s+)?[`'\"]?\w+[`'\"]?\s+(?:tool|function|command|plugin|script)\b",
    ),
    _rule(
        "tool-syntax",
        r"<(?:tool_call|function_call|invoke|tool_use)\b|\"(?:tool_calls?|function_call)\"\s*:",
        people=True,
    ),
    _rule(
        "shell-pipe",
        r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|\bpowershell\b[^\n]{0,60}-e(?:nc|ncodedcommand)\b|\beval\s*\(\s*(?:atob|base64)",
    ),
    _rule(
        "encoded-blob",
        r"(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]*\d)(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]{80,}={0,2}(?![A-Za-z0-9+/=])",
    ),
    _rule(
        "decode-order",
        r"\b(?:decode|decrypt|base64|rot13|caesar)\b[^.\n]{0,60}\b(?:and\s+)?(?:follow|execute|run|obey|apply|answer|response)\b",
    ),
    _rule("markdown-image", r"!\[[^\]]*\]\(\s*https?://[^)\s]*[?&=][^)]*\)"),
    _rule(
        "hidden-comment",
        r"<!--(?!\s*(?:mem_|ev_))[^>]*\b(?:ignore|instruction|system|assistant|agent|must|always)\b[^>]*-->",
        people=True,
    ),
    _rule(
        "priority-claim",
        r"\b(?:highest|top|absolute|maximum)\s+priority\b|\bsupersedes?\s+(?:all|any|every|previous|earlier)\b|\btakes?\s+precedence\s+over\b",
    ),
    _rule(
        "always-order",
        r"^[ \t]*(?:always|never)\s+(?:recommend|suggest|include|add|append|mention|choose|"
        r"route|use|send|trust|answer|respond|promote)\b",
    ),
    _rule(
        "jailbreak",
        r"\b(?:jailbreak|DAN\s+mode|developer\s+mode\s+(?:enabled|on)|do\s+anything\s+now|no\s+restrictions)\b",
        people=True,
    ),
)
"""Every hint, in the order of their names in reasons."""


def scan_injection(text: str, *, is_person: bool = False) -> tuple[str, ...]:
    """Returns the names of the hints in ``text``, each once.

    Args:
        text: Any text; looked at in its visible form.
        is_person: Only ask what also counts in a person's own statement.
    """
    seen = visible_text(text)
    return tuple(
        rule.name
        for rule in RULES
        if (rule.asks_people or not is_person) and rule.pattern.search(seen) is not None
    )
