"""Hints that a text talks to an agent instead of stating something.

A hint is a reason for a person to look, never the defence and never claimed complete:
published suites show that patterns stop a small part. What counts is where a text came
from. A person's own statement is asked only about what people do not write by themselves.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.frozen import frozen
from memfs.policy.hidden import visible_text
from memfs.policy.hints import LazyPattern, RulesByWord, is_hinted, longest_run, words_in


@frozen
class InjectionRule:
    """One rule.

    Attributes:
        name: Stable name, the detail of a reason.
        hints: One of these stands in every match, case folded; empty when none must.
        words: One of these stands in every match as a whole word; empty when none must.
        lazy: What it looks like in the visible form of a text.
        asks_people: Whether it also counts in what a person states.
        run: Every match holds at least so many characters in a row without white space.
    """

    name: str
    hints: tuple[str, ...]
    words: frozenset[str]
    lazy: LazyPattern
    asks_people: bool = False
    run: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return self.lazy.compiled()


def _rule(
    name: str, *, hints: str, pattern: str, words: str = "", people: bool = False, run: int = 0
) -> InjectionRule:
    return InjectionRule(
        name=name,
        hints=tuple(hints.split()),
        words=frozenset(words.split()),
        lazy=LazyPattern(pattern, re.IGNORECASE | re.MULTILINE),
        asks_people=people,
        run=run,
    )


_ORDERS: Final = (
    r"(?:instructions?|prompts?|rules|directions?|guidelines|context|commands?|orders|policies)"
)

RULES: Final[tuple[InjectionRule, ...]] = (
    _rule(
        "ignore-previous",
        hints="ignore disregard forget override bypass drop",
        words="ignore disregard forget override bypass drop",
        pattern=r"\b(?:ignore|disregard|forget|override|bypass|drop)\s+(?:all\s+|any\s+|the\s+|"
        r"your\s+|these\s+|my\s+|of\s+){0,4}(?:previous|prior|above|earlier|preceding|existing|"
        r"original|initial|system)\b",
    ),
    _rule(
        "ignore-orders",
        hints="ignore disregard forget override bypass drop",
        words="ignore disregard forget override bypass drop",
        pattern=r"\b(?:ignore|disregard|forget|override|bypass|"
        r"drop)\s+(?:\w+\s+){0,4}?(?:previous|prior|above|"
        rf"earlier|preceding|existing|original|initial|system)\s+(?:\w+\s+){{0,2}}?{_ORDERS}\b",
    ),
    _rule(
        "ignore-all-orders",
        hints="ignore disregard forget override",
        words="ignore disregard forget override",
        pattern=r"\b(?:ignore|disregard|forget|override)\s+(?:all|any|every|everything)\b"
        rf"[^.\n]{{0,30}}?\b(?:previous|prior|above|earlier|preceding|system)\b[^.\n]{{0,20}}?{_ORDERS}\b",
        people=True,
    ),
    _rule(
        "ignore-rules",
        hints="ignore disregard forget",
        words="ignore disregard forget",
        pattern=rf"\b(?:ignore|disregard|forget)\s+(?:all|any|every|your)\s+{_ORDERS}\b",
        people=True,
    ),
    _rule(
        "ignore-german",
        hints="ignoriere vergiss missachte",
        pattern=r"\b(?:ignoriere|vergiss|missachte)\s+(?:alle|die|deine)\s+\w+",
        people=True,
    ),
    _rule(
        "ignore-romance",
        hints="ignor olvida oubliez",
        pattern=r"\b(?:ignora|ignorez|ignore|olvida|oubliez)\s+(?:todas?|toutes?|las?|les)\s+\w+",
    ),
    _rule(
        "ignore-other",
        hints="忽略 игнорируй تجاهل",
        pattern=r"忽略(?:之前|以上|所有)|игнорируй\w*\s+(?:все|предыдущ)|تجاهل\s+(?:جميع|كل)",
    ),
    _rule(
        "new-instructions",
        hints="new updated revised real actual following",
        words="new updated revised real actual following",
        pattern=rf"\b(?:new|updated|revised|real|actual|following)\s+(?:system\s+)?{_ORDERS}\s*:",
    ),
    _rule(
        "strictly-adhere",
        hints="following",
        words="following",
        pattern=r"\b(?:strictly\s+)?(?:adhere\s+to|follow|obey|comply\s+with)\s+the\s+following\b",
    ),
    _rule(
        "important-message",
        hints="important",
        pattern=r"\bimportant\s+(?:message|instructions?|notice|override|update)\b|"
        r"^[^\w\n]{0,20}important!{2,}",
    ),
    _rule(
        "before-you",
        hints="before",
        words="before",
        pattern=r"\bbefore\s+you\s+(?:can\s+)?(?:solve|answer|continue|proceed|respond|do|start)\b",
    ),
    _rule(
        "role-tag",
        hints="< [inst [/inst system",
        pattern=r"<\s*/?\s*(?:system|assistant|user|instructions?|information|im_start|im_end|s|"
        r"inst)\s*>|<\|[a-z_]+\|>|\[/?INST\]|^#{2,}\s*\(?system",
    ),
    _rule(
        "chat-template",
        hints="<| [inst [/inst",
        pattern=r"<\|[a-z_]+\|>|\[/?INST\]",
        people=True,
    ),
    _rule(
        "role-prefix",
        hints="system assistant developer",
        words="system assistant developer",
        pattern=r"^[ \t]*(?:system|assistant|developer)(?:\s+(?:prompt|message|note|"
        r"override))?\s*:\s*\S",
    ),
    _rule(
        "role-change",
        hints="you as",
        words="you act behave respond pretend",
        pattern=r"\byou\s+are\s+(?:now|no\s+longer|actually)\b|\b(?:act|behave|"
        r"respond)\s+as\s+(?:if|an?|the)\b|\bpretend\s+(?:to\s+be|you)\b",
    ),
    _rule(
        "fence-closing",
        hints="</ ---",
        pattern=r"</\s*(?:memory|context|document|tool_result|data|untrusted|packet|result)\s*>|"
        r"^-{3,}\s*end\s+of\s+\w+",
    ),
    _rule(
        "persist-order",
        hints="from going future every",
        words="from going future every",
        pattern=r"\b(?:from\s+now\s+on|going\s+forward|in\s+(?:all\s+)?future\s+(?:sessions?|"
        r"conversations?|tasks?|turns?)|for\s+all\s+future|every\s+time\s+(?:you|the\s+user))\b",
    ),
    _rule(
        "remember-order",
        hints="remember memori store save write add record",
        words="remember memorise memorize store save write add record",
        pattern=r"\b(?:remember|memori[sz]e|store|save|write|add|"
        r"record)\b[^.\n]{0,40}\b(?:memory|long[- ]term|permanently|for\s+later|in\s+memory)\b",
    ),
    _rule(
        "standing-preference",
        hints="standing permanent saved existing",
        words="standing permanent saved existing",
        pattern=r"\b(?:standing|permanent|saved|existing)\s+(?:preference|instruction|rule|order|"
        r"policy)\b",
    ),
    _rule(
        "claims-user",
        hints="user",
        words="user",
        pattern=r"\bthe\s+user\s+(?:has\s+|had\s+|already\s+)*(?:asked|requested|confirmed|"
        r"agreed|wants|said|approved|authori[sz]ed|prefers)\b",
    ),
    _rule(
        "claims-authority",
        hints="admin security compliance management ceo developer openai anthropic",
        words="admin administrator security compliance management ceo developer openai anthropic",
        pattern=r"\b(?:admin(?:istrator)?|security\s+team|compliance|management|ceo|developer|"
        r"openai|anthropic)\b[^.\n]{0,40}\b(?:requires?|orders?|mandates?|instructs?|"
        r"authori[sz]es?|override)\b",
    ),
    _rule(
        "conceal",
        hints="not n't dont never without",
        words="not don dont never without",
        pattern=r"\b(?:do\s+not|don'?t|never|without)\s+(?:tell(?:ing)?|inform(?:ing)?|"
        r"notify(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|alert(?:ing)?|disclos(?:e|"
        r"ing))\b[^.\n]{0,30}\b(?:user|anyone|human|person|them|owner|operator|this)\b",
    ),
    _rule(
        "silently",
        hints="silently secretly covertly discreetly quietly background",
        words="silently secretly covertly discreetly quietly background",
        pattern=r"\b(?:silently|secretly|covertly|discreetly|quietly|"
        r"in\s+the\s+background)\s+(?:\w+\s+)?(?:send|forward|copy|upload|run|execute|add|"
        r"include|append|log|share|delete|post)\b",
    ),
    _rule(
        "exfiltrate",
        hints="http @ webhook",
        pattern=r"\b(?:send|post|upload|forward|exfiltrate|transmit|leak|report|submit|"
        r"e-?mail)\b[^.\n]{0,80}(?:https?://|\bto\s+[\w.+-]+@[\w-]+\.\w+|\bwebhook\b)",
    ),
    _rule(
        "reveals-prompt",
        hints="reveal print show repeat output leak dump",
        words="reveal print show repeat output leak dump",
        pattern=r"\b(?:reveal|print|show|repeat|output|leak|"
        r"dump)\b[^.\n]{0,30}\b(?:system\s+prompt|instructions|hidden\s+prompt|api\s+keys?|"
        r"credentials|secrets|passwords)\b",
    ),
    _rule(
        "tool-call",
        hints="call invoke use execute run trigger",
        words="call invoke use execute run trigger",
        pattern=r"\b(?:call|invoke|use|execute|run|"
        r"trigger)\s+(?:the\s+)?[`'\"]?\w+[`'\"]?\s+(?:tool|function|command|plugin|script)\b",
    ),
    _rule(
        "tool-syntax",
        hints="<tool <function <invoke tool_call function_call",
        pattern=r"<(?:tool_call|function_call|invoke|tool_use)\b|\"(?:tool_calls?|"
        r"function_call)\"\s*:",
    ),
    _rule(
        "shell-pipe",
        hints="curl wget powershell eval",
        pattern=r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|"
        r"\bpowershell\b[^\n]{0,60}-e(?:nc|ncodedcommand)\b|\beval\s*\(\s*(?:atob|base64)",
    ),
    _rule(
        "encoded-blob",
        hints="",
        run=80,
        pattern=r"(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]*\d)(?=[A-Za-z0-9+/]*[A-Z])(?"
        r"=[A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]{80,}={0,2}(?![A-Za-z0-9+/=])",
    ),
    _rule(
        "decode-order",
        hints="decode decrypt base64 rot13 caesar",
        words="decode decrypt base64 rot13 caesar",
        pattern=r"\b(?:decode|decrypt|base64|rot13|caesar)\b[^.\n]{0,60}\b(?:and\s+)?(?:follow|"
        r"execute|run|obey|apply|answer|response)\b",
    ),
    _rule("markdown-image", hints="![", pattern=r"!\[[^\]]*\]\(\s*https?://[^)\s]*[?&=][^)]*\)"),
    _rule(
        "hidden-comment",
        hints="<!--",
        pattern=r"<!--(?!\s*(?:mem_|ev_))[^>]*\b(?:ignore|instruction|system|assistant|agent|"
        r"must|always)\b[^>]*-->",
        people=True,
    ),
    _rule(
        "priority-claim",
        hints="priority supersede precedence",
        words="priority supersede supersedes precedence",
        pattern=r"\b(?:highest|top|absolute|maximum)\s+priority\b|\bsupersedes?\s+(?:all|any|"
        r"every|previous|earlier)\b|\btakes?\s+precedence\s+over\b",
    ),
    _rule(
        "always-order",
        hints="always never",
        words="always never",
        pattern=r"^[ \t]*(?:always|never)\s+(?:recommend|suggest|include|add|append|mention|"
        r"choose|route|use|send|trust|answer|respond|promote)\b",
    ),
    _rule(
        "persona-order",
        hints="dan developer anything",
        words="dan developer anything",
        pattern=r"\b(?:DAN\s+mode|developer\s+mode\s+(?:enabled|activated|on)|do\s+anything\s+now)\b",
        people=True,
    ),
    _rule(
        "jailbreak",
        hints="jailbreak dan developer anything restrictions",
        words="jailbreak dan developer anything restrictions",
        pattern=r"\b(?:jailbreak|DAN\s+mode|developer\s+mode\s+(?:enabled|on)|"
        r"do\s+anything\s+now|no\s+restrictions)\b",
    ),
)
"""Every hint, in the order of their names in reasons."""

_FOR_ALL: Final = RulesByWord(RULES)
_FOR_PEOPLE: Final = RulesByWord(rule for rule in RULES if rule.asks_people)


def scan_injection(text: str, *, is_person: bool = False) -> tuple[str, ...]:
    """Returns the names of the hints in ``text``, each once.

    Args:
        text: Any text; looked at in its visible form.
        is_person: Only ask what also counts in a person's own statement.
    """
    seen = visible_text(text)
    return hints_in(seen, words_in(seen), is_person=is_person)


def hints_in(seen: str, words: frozenset[str] | None, *, is_person: bool) -> tuple[str, ...]:
    """Does the same for a visible text whose words (see ``words_in``) are known already."""
    folded = seen.casefold()
    return tuple(
        rule.name
        for rule in (_FOR_PEOPLE if is_person else _FOR_ALL).within(words)
        if (not rule.run or longest_run(seen) >= rule.run)
        and (not rule.hints or is_hinted(rule.hints, folded))
        and rule.pattern.search(seen) is not None
    )
