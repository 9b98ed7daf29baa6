"""Credentials without an issuer's mark: named by a label, a header, a URL or a sentence.

The first named or unnamed group that takes part is the value.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.policy.hints import LazyPattern

URL_CREDENTIAL: Final = LazyPattern(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,64}:([^\s/'\"<>]{1,128})@[\w.\[-]",
    re.IGNORECASE,
)
"""A password inside a URL: databases, FTP, proxies, remotes."""

HEADER_HINTS: Final = ("authorization", "api-key", "bearer")
"""One of these stands in every header."""

AUTHORIZATION: Final = LazyPattern(
    r"\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|digest|"
    r"apikey)\s+([\w+/=.~-]{8,})|\b(?:x-)?api-key[\"']?\s*:\s*[\"']?([\w+/=.~-]{12,})|"
    r"(?<!\w)bearer\s+((?=[\w+/=.~-]*\d)[\w+/=.~-]{20,})",
    re.IGNORECASE,
)
"""A header that authenticates."""

LABEL_HINTS: Final = (
    *("pass", "pwd", "psk", "secret", "token", "key", "credential", "salt", "pin", "otp", "cv"),
    *("session", "cookie", "comm", "string", "dsn", "auth", "code", "bitlocker", "wort", "wpa"),
    *("login", "bearer", "jwt", "keytab", "assertion", "remember", "combo", "puk", "bind"),
    *("admin", "bot", "contrase", "mot de", "парол", "root:"),
)
"""One of these stands in every label and in every spoken password, case folded."""

SPOKEN_HINTS: Final = ("pass", "pin", "key", "code", "token", "wort", "contrase", "mot de", "парол")
"""One of these stands in every spoken password, case folded."""

NUMBER_CODE: Final = LazyPattern(
    r"(?<![A-Za-z0-9])(?:[a-z]{1,8}[_-])?(?:pin|otp|cvv|cvc|puk|(?:door|gate|alarm|access)[ "
    r"_-]code|(?:safe|lock)[ _-]combo(?:nation)?)(?:[ "
    r"_-]?code)?[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`]?(\d{3,8}#?|\d{2}(?:-\d{2}){2,3})(?![\w.-])",
    re.IGNORECASE,
)
"""A short number that its label makes a secret."""

LABELLED: Final = LazyPattern(
    r"(?<![A-Za-z0-9])(?P<label>[A-Za-z0-9_.-]{0,40}?(?:(?<!1)pass(?:word|wd|phrase|code)|"
    r"(?<![A-Za-z])pass|pwd|psk|passkey|wpa[23]?|secret|token|(?:api|access|auth|account|signing|"
    r"encryption|license|master|private|mailgun|service|server)[ _-]?key|[a-z]{2,20}[_-](?:key|"
    r"admin|bot|bind)|credentials?|(?<![A-Za-z])salt|session[ _-]?id|cookie|"
    r"snmp[\w-]*comm(?:unity)?|connection[ _-]?string|(?<![A-Za-z])dsn|auth|login|bearer|jwt|"
    r"keytab|assertion|remember[_-]me|recovery[ _-]?(?:code|key)|backup[ _-]?code|bitlocker|"
    r"wifi[ _-]?key|(?<![A-Za-z0-9])(?:root|admin)(?=:))(?:[_-](?:id|key|value|hash|base|prod|"
    r"dev|test|\d{1,3}))?)[\"'`]?\s{0,3}(?::=|=>|={1,2}|"
    r":)(?P<gap>\s{0,3})(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>,;]{3,200})",
    re.IGNORECASE,
)
"""A name that says what it is, and a value right after it."""

SPOKEN: Final = LazyPattern(
    r"\b(?:pass(?:word|phrase|code)|pin(?:[ -]?code)?|wi-?fi[ -]key|door[ -]code|alarm[ -]code|"
    r"secret[ -]key|api[ -]key|access[ -]token|passwort|kennwort|contraseña|mot de passe|"
    r"пароль)\b(?:\s+(?:for|to|of|on|für|de|para|от)\s+[^.\n:]{1,40}?)?\s+(?:is|was|are|ist|"
    r"lautet|es|est|:|=|-|–)\s*:?\s*[\"'`“]?(?P<value>[^\s\"'`”,;]{4,64})",
    re.IGNORECASE,
)
"""A password told in a sentence: held for a person, never refused."""
