"""Finds credentials in a text and says where and of which family, never what (A19, A81).

Findings carry a family and a span. Nothing here returns, logs or stores a matched value,
and no verifier of the detector library, which would use the network, is ever called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from memfs.model.frozen import frozen
from memfs.policy.credential_labels import (
    AUTHORIZATION,
    CARD,
    COMMAND,
    COMMAND_HINTS,
    FOREIGN_HINTS,
    FOREIGN_LETTERS,
    HEADER_HINTS,
    LABEL_HINTS,
    LABELLED,
    NUMBER_CODE,
    SOFTWARE,
    SPOKEN,
    SPOKEN_ELSEWHERE,
    SPOKEN_HINTS,
    URL_CREDENTIAL,
)
from memfs.policy.generated_tokens import TOKEN_HINTS, generated_tokens
from memfs.policy.hints import LazyPattern, is_hinted
from memfs.policy.secret_library import is_for_library, library_families, library_findings
from memfs.policy.secret_patterns import ISSUED, SecretFamily


@frozen(kw_only=False)
class SecretFinding:
    """Where a text holds a secret.

    Attributes:
        family: Name of the family.
        start: First character of the match.
        end: One past its last character.
        is_held: A weak sign, or an identifier: a person decides.
        is_household: A code of a door, a locker or a booking, told in a sentence: held in what
            a program says, and a person's own to keep.
    """

    family: str
    start: int
    end: int
    is_held: bool = False
    is_household: bool = False


SPOKEN_FAMILIES: Final = ("spoken-password", "spoken-code")
"""What sentences tell; everything else stands behind a label or carries a mark."""
_LONGEST_FAMILY: Final = max(family.run for family in ISSUED)
_SHORTEST_TOKEN: Final = min(family.run for family in ISSUED if not family.is_spaced)
_LONG_MARK: Final = 3
"""A hint of so many characters hardly stands in any text; shorter ones stand in most."""
_SEPARATORS: Final = re.compile("[:=]+")
_LABEL_REACH: Final = 64
"""More than the rest of a label can be, from its hint to the separator."""
_LABEL_START: Final = 256
"""More than a label can have before its separator."""
_VALUE_REACH: Final = 320
"""More than a value can have after it, with quotes and spaces."""
_UNFOLDED: Final = re.compile("[\u0130\u0131]")
"""Case is ignored for them in a pattern, and case folding does not make an ``i`` of them."""
_PLACEHOLDER: Final = LazyPattern(
    r"""(?ix)
    [x*.•·#_?-]+ | (?:x{3,}|\*{3,}|\.{3,}).* | .*(?:\*{3,}|…|x{6,}).* |
    <.* | \[.*\] | \{.* | \$(?:[{(].* | (?-i:[A-Z][A-Z0-9_]*)) | %\w+% | \\.* |
    (?:your|my|the|some|an?|example|sample|dummy|fake|test|insert|replace|enter|put|todo|tbd|foo|bar)
        (?:[-_ .].*)? |
    (?:change[-_]?me|placeholder|redacted|removed|hidden|masked|none|null|nil|true|false|empty|
        undefined|optional|required|string|str|int|bool|bytes|number|secret|token|password|passwd|key)
        [.!)\]}]* |
    (?:os\.|process\.|env[.\[(]|getenv|environ|secrets\.|config[.\[(]|settings\.|self\.|ctx\.|
        request\.|vault[:/.]|op://|ref\+|sops|keyring|input\(|getpass|lookup\(|data\.|
        var\.|local\.|ssm:|kms:).* |
    (?:https?|file)://[^@]* | (?:\.{0,2}|~)/.* | [A-Za-z_][\w.]*\((?:[^)]*\))? | mem_.* | ev_.* |
    (?:run|iss|ses|evt|tx|cand|pkt)_[0-7][0-9a-hjkmnp-tv-z]{25} |
    (?:sha(?:1|256|384|512)|md5)[-:].*
    """
)
_STRICT_LABEL: Final = re.compile(r"(?i)pass|pwd|psk|salt|comm|wpa|^root$|^admin$")
_REFERENCE_LABEL: Final = LazyPattern(
    r"(?i)1pass|forgot|reset|one[-_]?time|(?:^|[_.-])(?:max|min|num|next|page|rate)(?:[_.-]|$)"
)
_HOUSEHOLD_LABEL: Final = re.compile(r"(?i)(?<![A-Za-z0-9_.-])pass(?:phrase|code)$")
_SESSION_LABEL: Final = LazyPattern(r"(?i)session[ _-]?id$")
_UUID: Final = LazyPattern(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GENERIC_LABEL: Final = LazyPattern(
    r"(?i)^(?!.*(?:api|access|auth|private|secret|signing|encryption|master|server|licen[cs]e|shared|"
    r"deploy|webhook)[_-]?key$)"
    r".*(?:[_-](?:key|admin|bot|bind|id)|login|^root|^admin)$"
)
"""Labels that often name something else: a person decides."""
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ODD: Final = re.compile(r"[^\w\s]|_")
_ORDINARY: Final = LazyPattern(
    r"(?:\d{1,2}:\d{2}.*|\d{4}-\d{2}-\d{2}.*|v?\d+(?:\.\d+)+\S*|[$€£]?\d[\d,.]*%?|"
    r"[A-Za-z]+(?:['’][a-z]+)?[.!?)\]]*|[A-Za-z]+(?:/[A-Za-z]+)+)\Z"
)
_STRONG_LENGTH: Final = 8
_SPOKEN_LENGTH: Final = 6
_SPOKEN_DIGITS: Final = 4
_CLAUSE_END: Final = re.compile(r"[.!?;\n]")
_DESCRIPTION: Final = LazyPattern(
    r"(?i)[a-z]+\d*(?:[-/][a-z]+\d*)*-(?:[a-z]+(?:ed|ing|ive|able|ible|al|ly|ful)|free|only|safe|"
    r"wide|like|less|long|term|time|based|specific|owned|in|out|up|off|on|to|date)|"
    r"(?:sha|aes|md|rsa|utf|iso|tls|ssl|pbkdf|argon|b?crypt|scrypt|base|hmac|oauth|sso|mfa|2fa)"
    r"[-_]?[a-z]*\d*(?:[-_/]\w+)*|[a-z]+['’](?:s|t|re|ll|ve|d)|\d{1,3}[-–+]\d*|(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|"
    r"\d+[-–]?(?:day|hour|char|digit|bit|month|week|year|minute)s?(?:-\w+)?|[a-z]+(?:[-/][a-z]+)+"
)
"""Words about a password: how it is kept, how long it is, that it is case-sensitive."""


def scan_secrets(text: str) -> tuple[SecretFinding, ...]:
    """Returns every secret in ``text``, by position, spans not overlapping.

    What is refused wins over what is held; then families with an issuer's mark over a label,
    and a label over what a sentence tells.
    """
    found: list[SecretFinding] = []
    for finding in sorted(_findings(text), key=lambda item: item.is_held):
        if not any(finding.start < other.end and other.start < finding.end for other in found):
            found.append(finding)
    return tuple(sorted(found, key=lambda item: (item.start, item.end)))


def needs_library(text: str) -> bool:
    """Tells whether looking through ``text`` loads the library's detectors, which takes long."""
    return is_for_library(text)


def family_names() -> tuple[str, ...]:
    """Returns the names of all families, own ones first, then those of the library."""
    own = [family.name for family in ISSUED]
    own += ["url-credential", "authorization", "command-line", "number-code"]
    own += ["labelled-credential", "structured-token"]
    own += SPOKEN_FAMILIES
    return tuple(dict.fromkeys((*own, *library_families())))


def _findings(text: str) -> Iterator[SecretFinding]:
    folded = text.casefold()
    tokens = _tokens(text)
    yield from _issued(text, folded, tokens)
    if "://" in text:
        yield from _credentials(URL_CREDENTIAL, "url-credential", text)
    if is_hinted(HEADER_HINTS, folded):
        yield from _credentials(AUTHORIZATION, "authorization", text)
    if " -" in text and is_hinted(COMMAND_HINTS, folded):
        yield from _credentials(COMMAND, "command-line", text)
    if is_for_library(text):
        for family, start, end in library_findings(text):
            if not _PLACEHOLDER.compiled().fullmatch(text, start, end):
                yield SecretFinding(family, start, end)
    is_folded = _UNFOLDED.search(text) is None
    for start, end in _label_places(text, folded):
        yield from _number_codes(text, start, end)
        yield from _labelled(text, start, end)
    if "_" in text and is_hinted(TOKEN_HINTS, folded):
        for start, end in generated_tokens(text):
            yield SecretFinding("structured-token", start, end)
    if is_hinted(SPOKEN_HINTS if is_folded else LABEL_HINTS, folded):
        yield from _spoken(text, SPOKEN)
    is_foreign = not text.isascii() and is_hinted(FOREIGN_LETTERS, folded)
    if is_foreign or is_hinted(FOREIGN_HINTS, folded):
        yield from _spoken(text, SPOKEN_ELSEWHERE)


def _tokens(text: str) -> list[str]:
    """Returns the words of a text that are long enough for a token, in order."""
    return [word for word in text.split() if len(word) >= _SHORTEST_TOKEN]


def _issued(text: str, folded: str, tokens: Sequence[str]) -> Iterator[SecretFinding]:
    """Yields the tokens that carry their issuer's mark.

    A family whose matches hold no white space is looked for in the long words alone.
    """
    words = " ".join(tokens).casefold()
    longest = max(map(len, tokens), default=_SHORTEST_TOKEN)
    # Hardly any text has a mark at all: that is asked of all families at once.
    is_marked = is_hinted(_long_marks(), words)
    spans: list[tuple[int, int]] = []
    for family in _families_within(min(longest, _LONGEST_FAMILY), is_marked):
        if not is_hinted(family.hints, folded if family.is_spaced else words):
            continue
        if not (family.is_spaced or spans):
            spans = _spans(text, tokens)
        for start, end in ((0, len(text)),) if family.is_spaced else spans:
            if end - start >= family.run:
                for match in family.pattern.finditer(text, start, end):
                    yield SecretFinding(family.name, match.start(), match.end(), family.is_held)


def _spans(text: str, tokens: Iterable[str]) -> list[tuple[int, int]]:
    """Returns where the words of ``_tokens`` stand in their text, in order."""
    spans, at = [], 0
    for token in tokens:
        # Nothing before it holds it: a longer word that did would be one of the tokens itself.
        start = text.index(token, at)
        at = start + len(token)
        spans.append((start, at))
    return spans


def _has_long_mark(family: SecretFamily) -> bool:
    return not family.is_spaced and min(map(len, family.hints)) >= _LONG_MARK


@cache
def _long_marks() -> tuple[str, ...]:
    """Returns the hints of all families that need one of them in a long word."""
    marked = filter(_has_long_mark, ISSUED)
    return tuple(dict.fromkeys(hint for family in marked for hint in family.hints))


@cache
def _families_within(longest: int, is_marked: bool) -> tuple[SecretFamily, ...]:
    """Returns the families that a text can hold.

    Args:
        longest: So many characters has its longest word.
        is_marked: One of the long marks stands in its long words.
    """
    return tuple(
        family
        for family in ISSUED
        if family.run <= longest and (is_marked or not _has_long_mark(family))
    )


def _label_places(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """Yields where a label and its value can stand, in order and apart from each other.

    In ASCII these are the surroundings of separators that have a hint before them; where case
    folding may have moved characters, it is the whole text or nothing.
    """
    if not text.isascii():
        is_folded = _UNFOLDED.search(text) is None
        if is_hinted(LABEL_HINTS, _before_separators(folded) if is_folded else folded):
            yield 0, len(text)
        return
    begin = end = 0
    for match in _SEPARATORS.finditer(folded):
        if match.end() + _VALUE_REACH <= end:
            continue
        if is_hinted(LABEL_HINTS, folded[max(0, match.start() - _LABEL_REACH) : match.end()]):
            start = max(0, match.start() - _LABEL_START)
            if start > end:
                if end:
                    yield begin, end
                begin = start
            end = min(len(text), match.end() + _VALUE_REACH)
    if end:
        yield begin, end


def _before_separators(folded: str) -> str:
    """Returns the parts of a text in which the label of a value can stand."""
    return "\n".join(
        folded[max(0, match.start() - _LABEL_REACH) : match.end()]
        for match in _SEPARATORS.finditer(folded)
    )


def _credentials(lazy: LazyPattern, family: str, text: str) -> Iterator[SecretFinding]:
    """Yields the matches of a pattern whose first group that took part is the value."""
    for match in lazy.compiled().finditer(text):
        value = next(filter(None, match.groups()))
        if not _PLACEHOLDER.compiled().fullmatch(value):
            yield SecretFinding(family, match.start(), match.end())


def _labelled(text: str, begin: int, end: int) -> Iterator[SecretFinding]:
    for match in LABELLED.compiled().finditer(text, begin, end):
        value, label = match["value"], match["label"]
        if _PLACEHOLDER.compiled().fullmatch(value) or _REFERENCE_LABEL.compiled().search(label):
            continue
        if _SESSION_LABEL.compiled().search(label) and _UUID.compiled().fullmatch(value):
            # How coding agents name a conversation; a cookie that logs in is no UUID.
            continue
        is_tight = not match["gap"]
        strength = _strength(value, label, is_quoted=bool(match["quote"]), is_tight=is_tight)
        if not strength:
            continue
        is_own = not is_tight and _is_household(text, match.start(), label)
        is_held = is_own or strength == 1 or _GENERIC_LABEL.compiled().search(label) is not None
        yield SecretFinding("labelled-credential", match.start(), match.end(), is_held, is_own)


def _is_household(text: str, start: int, label: str) -> bool:
    """Tells whether a passphrase in a sentence opens a door and no software."""
    return _HOUSEHOLD_LABEL.search(label) is not None and not SOFTWARE.compiled().search(
        f"{_clause_before(text, start)} {label}"
    )


def _strength(value: str, label: str, *, is_quoted: bool, is_tight: bool) -> int:
    """Returns 2 for a value that must be a credential, 1 for one that may be, 0 for a word.

    Args:
        value: What stands after the label.
        label: The label.
        is_quoted: The value stands in quotes.
        is_tight: It follows the separator without a space, as in settings and not in prose.
    """
    if value.isdigit():
        return 2 if _STRICT_LABEL.search(label) and len(value) >= _STRONG_LENGTH else 0
    is_setting = is_tight and ("_" in label or "-" in label or label in ("root", "admin"))
    if _ORDINARY.compiled().match(value) and not (is_quoted or is_setting):
        return 0
    has_digit, has_letter = bool(_DIGIT.search(value)), bool(_LETTER.search(value))
    if len(value) >= _STRONG_LENGTH and has_digit and has_letter:
        return 2
    if _STRICT_LABEL.search(label) and (has_digit or _ODD.search(value)):
        return 2 if len(value) >= _STRONG_LENGTH else 1
    if _STRICT_LABEL.search(label) and is_setting and value.isalnum() and len(value) > 3:
        return 1
    return 1 if is_quoted and len(value) >= _STRONG_LENGTH and not value.islower() else 0


def _number_codes(text: str, begin: int, end: int) -> Iterator[SecretFinding]:
    """Yields short numbers behind a label: ``pin=4821`` is refused, ``PIN: 4821`` need not be."""
    for match in NUMBER_CODE.compiled().finditer(text, begin, end):
        is_setting = match["gap"] in (":", "=")
        is_payment = bool(match["card"]) or _belongs_to_card(text, match.start())
        is_own = not (is_setting or is_payment)
        yield SecretFinding("number-code", match.start(), match.end(), is_own, is_own)


def _belongs_to_card(text: str, start: int) -> bool:
    return CARD.compiled().search(_clause_before(text, start)) is not None


def _clause_before(text: str, start: int) -> str:
    return _CLAUSE_END.split(text[max(0, start - _LABEL_REACH) : start])[-1]


def _spoken(text: str, lazy: LazyPattern) -> Iterator[SecretFinding]:
    """Yields what a sentence tells: passwords and keys are credentials, a door's code is not."""
    for match in lazy.compiled().finditer(text):
        value = match["value"].rstrip(".!?)]:")
        if not value or _PLACEHOLDER.compiled().fullmatch(value) or _is_described(value):
            continue
        is_quoted = bool(match["quote"])
        strength = _spoken_strength(value, is_quoted=is_quoted)
        if not strength:
            continue
        span = match.start(), match.end("value")
        if not match["code"]:
            is_key = bool(match["key"]) and not _DIGIT.search(value)
            yield SecretFinding("spoken-password", *span, strength == 1 or is_key)
            continue
        about = _clause_before(text, match.start()) + text[match.end("code") : match.start("value")]
        is_number = value.isdigit()
        opens = (CARD if is_number else SOFTWARE).compiled().search(about)
        is_own = opens is None
        yield SecretFinding("spoken-code", *span, is_own, is_own)


def _spoken_strength(value: str, *, is_quoted: bool) -> int:
    """Returns 2 for what no sentence says by itself, 1 for what it might, 0 for a word."""
    has_letter, has_digit = bool(_LETTER.search(value)), bool(_DIGIT.search(value))
    if value.isdigit():
        return 2 if len(value) >= _SPOKEN_DIGITS else 0
    if _ORDINARY.compiled().match(value) and not is_quoted:
        is_cased = value[1:] != value[1:].lower() and value != value.upper()
        return 1 if is_cased else 0
    if has_letter and (has_digit or _ODD.search(value)):
        return 2 if len(value) >= _SPOKEN_LENGTH or is_quoted else 1
    return 2 if is_quoted else 0


def _is_described(value: str) -> bool:
    """Tells whether a value is a word about a password: ``case-sensitive``, ``SHA-256``."""
    return _DESCRIPTION.compiled().fullmatch(value) is not None
