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

_FOREIGN: Final = (
    "passwort|kennwort|contraseña|senha|wachtwoord|mot de passe|пароль|пароля|hasło|heslo|lösenord|"
    "adgangskode|salasana|şifre|jelszó|parola d'ordine|密码|密碼|口令|パスワード|비밀번호|암호"
)
"""A password in other languages."""
_FOREIGN_HINTS: Final = (
    *(
        "wort",
        "woord",
        "contrase",
        "senha",
        "mot de",
        "парол",
        "hasło",
        "heslo",
        "lösenord",
        "adgangs",
    ),
    *(
        "salasana",
        "şifre",
        "jelszó",
        "parola",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀",
        "암호",
    ),
)

LABEL_HINTS: Final = (
    *("pass", "pwd", "psk", "secret", "token", "key", "credential", "salt", "pin", "otp", "cv"),
    *("session", "cookie", "comm", "string", "dsn", "auth", "code", "bitlocker", "wpa", "cred"),
    *("login", "bearer", "jwt", "keytab", "assertion", "remember", "combo", "puk", "bind"),
    *("admin", "bot", "root:", "seed", "webhook", "signature", "pw"),
    *_FOREIGN_HINTS,
)
"""One of these stands in every label and in every spoken password, case folded."""

SPOKEN_HINTS: Final = ("pass", "pin", "key", "code", "token", "secret", "pwd")
"""One of these stands in every password that an English sentence tells, case folded."""

FOREIGN_HINTS: Final = tuple(hint for hint in _FOREIGN_HINTS if hint.isascii())
FOREIGN_LETTERS: Final = tuple(hint for hint in _FOREIGN_HINTS if not hint.isascii())
"""One of these stands in every one in other languages; the latter only outside ASCII."""

COMMAND_HINTS: Final = ("mysql", "mariadb", "curl", "sshpass", "--", "docker", "htpasswd")
"""One of these stands in every command that carries a password."""

COMMAND: Final = LazyPattern(
    r"\b(?:mysql(?:dump|admin)?|mariadb)\b[^\n]{0,80}\s-p([^\s'\"]{4,64})|"
    r"\bcurl\b[^\n]{0,120}\s(?:-u|--user|--proxy-user)[ =][\"']?[^\s:'\"]{1,64}:([^\s'\"]{4,128})|"
    r"\bsshpass\s+-p\s*[\"']?([^\s'\"]{4,64})|"
    r"\bdocker\s+login\b[^\n]{0,80}\s-p[ =]?([^\s'\"]{4,128})|"
    r"(?<!\w)--(?:password|passwd|passphrase|token|api-key|access-key|secret(?:-key)?|auth-token)"
    r"[ =][\"']?((?=\S*\d)[^\s'\"\[<]{6,200})",
    re.IGNORECASE,
)
"""A password on a command line."""

NUMBER_CODE: Final = LazyPattern(
    r"(?<![A-Za-z0-9])(?:[a-z]{1,12}[_-]){0,2}(?:(?P<card>cvv2?|cvc2?|csc|otp|puk|2fa[ _-]code|"
    r"security[ _-]code|card[ _-]pin|bank[ _-]pin|atm[ _-]pin|sim[ _-]pin)|pin|(?:door|gate|alarm|"
    r"access|entry|keypad|locker|garage|safe|lock|building|elevator)[ _-]?code|"
    r"(?:safe|lock|locker|padlock)[ _-]?combo(?:nation|ination)?)"
    r"(?:[ _-]?(?:code|number))?[\"'`]?(?P<gap>\s{0,3}[:=]\s{0,3})[\"'`]?"
    r"(?P<value>[#*]?\d{3,10}[#*]?|\d{1,2}(?:-\d{1,2}){2,3}|"
    r"\d{2,4}(?:[ -]\d{2,4}){1,2}#?)(?![\w.-])",
    re.IGNORECASE,
)
"""A short number that its label makes a secret: of a card always, of a door in a setting."""

LABELLED: Final = LazyPattern(
    r"(?<![A-Za-z0-9])(?P<label>[A-Za-z0-9_.-]{0,40}?(?:(?<!1)pass(?:word|wd|phrase|code)|"
    r"(?<![A-Za-z])pass|pwd|(?<![A-Za-z])pw|psk|passkey|wpa[23]?|secret|token|(?:api|access|auth|"
    r"account|signing|encryption|license|master|private|mailgun|service|server|shared|deploy|"
    r"webhook)[ _-]?key|[a-z]{2,20}[_-](?:key|admin|bot|bind)|credentials?|creds?|"
    r"(?<![A-Za-z])salt|session[ _-]?id|cookie|snmp[\w-]*comm(?:unity)?|connection[ _-]?string|"
    r"(?<![A-Za-z])dsn|auth|login|bearer|jwt|keytab|assertion|remember[_-]me|"
    r"recovery[ _-]?(?:code|key)|backup[ _-]?code|bitlocker|wifi[ _-]?key|"
    r"(?<![A-Za-z0-9])(?:root|admin)(?=:)|" + _FOREIGN + r")(?:[_-](?:id|key|value|hash|base|prod|"
    r"dev|test|live|\d{1,3}))?)[\"'`]?\s{0,3}(?::=|=>|={1,2}|:|：)(?P<gap>\s{0,3})"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>,;]{3,200})",
    re.IGNORECASE,
)
"""A name that says what it is, and a value right after it."""

_TOLD: Final = r"\s*:?\s*(?P<quote>[\"'`“‘«「]?)(?P<value>[^\s\"'`”’»」,;]{4,64})"
SPOKEN: Final = LazyPattern(
    r"\b(?:(?P<password>password|passwd|pwd)|(?P<key>(?:secret|api|access|client|private|"
    r"signing|encryption|recovery|master)[ -](?:key|token|secret)|license[ -]key|keystore[ -]pass)|"
    r"(?P<code>pass[ -]?phrase|pass[ -]?code|pin(?:[ -]?code)?|wi-?fi[ -]key|"
    r"(?:door|gate|alarm|entry|keypad|locker|garage|safe)[ -]code|access[ -]code))\b"
    r"(?:\s+(?:for|to|of|on|at)\s+[^.\n:]{1,40}?)?(?:\s+(?:(?:is|was|has been|now|got)\s+){0,2}"
    r"(?:set|changed|reset|updated|rotated)\s+to|\s+(?:is|was|are|will be|remains|=|-|–|:))"
    r"(?:\s+(?:now|still|currently))?" + _TOLD,
    re.IGNORECASE,
)
"""A password, a key or a code told in a sentence."""

SPOKEN_ELSEWHERE: Final = LazyPattern(
    r"(?P<password>" + _FOREIGN + r")(?P<key>)(?P<code>)(?:\s+(?:für|de|du|para|do|da|voor|от|"
    r"для)\s+[^.\n:]{1,40}?)?\s*(?:ist|lautet|war|es|est|é|è|is|on|är|er|это|:|=|-|–|是|为|為|は|은|"
    r"는|：)" + _TOLD,
    re.IGNORECASE,
)
"""A password told in another language."""

SOFTWARE: Final = LazyPattern(
    r"\b(?:gpg|pgp|ssh|tls|key(?:store|ring|chain)?|vault|wallet|luks|disk|encrypt\w*|database|db|"
    r"server|admin|root|account|log-?in|e-?mail|repo(?:sitory)?|signing|certificate|router|laptop)\b",
    re.IGNORECASE,
)
"""What a passphrase opens when it is a credential and no word told at a door."""

CARD: Final = LazyPattern(
    r"\b(?:bank|card|debit|credit|atm|visa|mastercard|amex|sim|payment|account|girocard|ec)\b",
    re.IGNORECASE,
)
"""What a PIN belongs to when it is one of payment."""
