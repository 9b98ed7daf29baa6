"""Families of secrets as data: what a credential looks like, by issuer.

A family is a name and a pattern; the pattern's last group, or the whole match, is the value.
No entropy: on prose it flags every second word. Families that are *held* name private
identifiers or weak signs: a person looks, nothing is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFamily:
    """One family.

    Attributes:
        name: Stable name, the detail of a reason.
        pattern: What it looks like.
        is_held: A person decides instead of a refusal.
        is_phrase: Made of ordinary words, so that no token need be there.
    """

    name: str
    pattern: re.Pattern[str]
    is_held: bool = False
    is_phrase: bool = False


def _family(
    name: str, pattern: str, *, held: bool = False, phrase: bool = False, flags: int = 0
) -> SecretFamily:
    compiled = re.compile(pattern, flags)
    return SecretFamily(name=name, pattern=compiled, is_held=held, is_phrase=phrase)


_ANY_CASE: Final = re.IGNORECASE
_B: Final = r"(?<![A-Za-z0-9_-])"
"""A token starts here: nothing that could belong to it stands before."""

ISSUED: Final[tuple[SecretFamily, ...]] = (
    _family(
        "private-key", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----", phrase=True
    ),
    _family("putty-key", r"PuTTY-User-Key-File-\d"),
    _family("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{20,}", flags=_ANY_CASE),
    _family("ssh-public-key", r"\bssh-(?:rsa|ed25519|dss) AAAA[\w+/=]{10,}", held=True),
    _family("aws-access-key", r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _family(
        "aws-secret-key",
        r"\b(?:aws|amazon)[\w ./-]{0,20}(?:secret|key)[\w ./-]{0,20}[\"']?\s*[:=]+\s*[\"']?"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        flags=_ANY_CASE,
    ),
    _family("github-token", _B + r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})"),
    _family(
        "gitlab-token",
        _B + r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-[\w.=-]{16,}",
    ),
    _family("bitbucket-token", _B + r"ATBB[A-Za-z0-9]{28,}"),
    _family("atlassian-token", _B + r"ATATT3[\w=-]{40,}"),
    _family(
        "slack-token", _B + r"xox[abeoprs](?:\.[\w-]+)?-[\w-]{10,}|" + _B + r"xapp-\d-[\w-]{10,}"
    ),
    _family(
        "slack-webhook",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{6,}",
    ),
    _family("discord-webhook", r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{10,}"),
    _family(
        "discord-token",
        _B + r"[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}(?![\w-])",
    ),
    _family("teams-webhook", r"webhook\.office\.com/webhookb2/[\w@/-]{20,}"),
    _family("telegram-token", r"(?<!\d)\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    _family(
        "stripe-key", _B + r"(?:[sr]k_(?:test|live)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,})"
    ),
    _family("square-token", _B + r"sq0(?:atp|csp|idp)-[\w-]{20,}"),
    _family("paypal-token", r"access_token\$(?:production|sandbox)\$[a-z0-9]{12,}\$[a-f0-9]{32}"),
    _family("shopify-token", _B + r"shp(?:at|ca|pa|ss|ua)_[A-Fa-f0-9]{28,}"),
    _family("openai-key", _B + r"sk-(?:proj|svcacct|admin|None)-[\w-]{16,}"),
    _family("openai-legacy-key", _B + r"sk-[A-Za-z0-9]{20,}T3BlbkFJ[A-Za-z0-9]{20,}"),
    _family("anthropic-key", _B + r"sk-ant-[\w-]{16,}"),
    _family("openrouter-key", _B + r"sk-or-(?:v1-)?[a-f0-9]{32,}"),
    _family(
        "generic-sk-key", _B + r"sk[-_](?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{24,}"
    ),
    _family("groq-key", _B + r"gsk_[A-Za-z0-9]{40,}"),
    _family("perplexity-key", _B + r"pplx-[A-Za-z0-9]{40,}"),
    _family("replicate-token", _B + r"r8_[A-Za-z0-9]{30,}"),
    _family("xai-key", _B + r"xai-[A-Za-z0-9]{40,}"),
    _family("huggingface-token", _B + r"(?:hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,})"),
    _family("google-api-key", _B + r"AIza[\w-]{35}(?![\w-])"),
    _family("google-oauth", _B + r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})"),
    _family("gcp-service-account", r"\"private_key_id\"\s*:\s*\"[a-f0-9]{40}\""),
    _family(
        "azure-storage-key",
        r"(?:AccountKey|SharedAccessKey|account_key)\s*[=:]\s*[\"']?([A-Za-z0-9+/]{40,}={0,2})",
        flags=_ANY_CASE,
    ),
    _family("azure-client-secret", r"(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{30,36}(?![\w~.-])"),
    _family("azure-sas", r"[?&]sig=([A-Za-z0-9%+/]{30,})"),
    _family("digitalocean-token", _B + r"do[oprt]_v1_[a-f0-9]{40,}"),
    _family("heroku-key", _B + r"HRKU-[\w-]{30,}"),
    _family("cloudflare-token", _B + r"(?:v1\.0-[a-f0-9]{24}-[a-f0-9]{60,}|cfut_[\w-]{30,})"),
    _family("flyio-token", r"\bFlyV1\s+fm\d[\w+/=,-]{20,}|" + _B + r"fo1_[\w-]{30,}"),
    _family("npm-token", _B + r"npm_[A-Za-z0-9]{30,}|//[\w./-]+/:_authToken=[\w-]{10,}"),
    _family("pypi-token", _B + r"pypi-AgE[\w-]{20,}"),
    _family("rubygems-key", _B + r"rubygems_[a-f0-9]{40,}"),
    _family("crates-token", _B + r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _family("docker-token", _B + r"dckr_(?:pat|oat)_[\w-]{8,}"),
    _family("terraform-token", r"[A-Za-z0-9]{4,20}\.atlasv1\.[\w-]{4,}"),
    _family("vault-token", _B + r"hv[sbr]\.[\w-]{20,}"),
    _family("pulumi-token", _B + r"pul-[a-f0-9]{40}"),
    _family("doppler-token", _B + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}"),
    _family("databricks-token", _B + r"dapi[a-f0-9]{32}"),
    _family("snowflake-token", r"\bver:\d-hint:\d+-ETMsDgAAA[\w+/=-]{20,}"),
    _family("sendgrid-key", _B + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _family("mailgun-key", _B + r"key-[0-9a-f]{32}(?![0-9a-f])"),
    _family("mailchimp-key", r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}\b"),
    _family("sendinblue-key", _B + r"xkeysib-[a-f0-9]{40,}[\w-]*"),
    _family("twilio-id", r"(?<![A-Za-z0-9])(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])"),
    _family("newrelic-key", _B + r"(?:NRAK-[A-Z0-9]{20,}|NRII-[\w-]{20,}|NRJS-[a-f0-9]{19})"),
    _family("datadog-key", r"\bDD_(?:API|APP|APPLICATION)_KEY\s*[=:]\s*[\"']?([a-f0-9]{32,40})"),
    _family("dynatrace-token", _B + r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    _family("grafana-token", _B + r"(?:glc|glsa)_[A-Za-z0-9+/_=]{30,}"),
    _family("sentry-token", _B + r"sntry[su]_[\w+/=.-]{30,}"),
    _family("linear-key", _B + r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    _family("notion-token", _B + r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]))"),
    _family("figma-token", _B + r"figd_[\w-]{30,}"),
    _family("airtable-token", _B + r"pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}"),
    _family("postman-key", _B + r"PMAK-[a-f0-9]{20,}-[a-f0-9]{30,}"),
    _family("supabase-key", _B + r"(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})"),
    _family("planetscale-token", _B + r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"),
    _family("facebook-token", _B + r"EAAC?[A-Za-z0-9]{80,}"),
    _family("dropbox-token", _B + r"sl\.(?:u\.)?[\w-]{100,}"),
    _family("jwt", r"\beyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?|\beyJhbGciOi[\w-]{8,}"),
    _family("netrc", r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{4,})", phrase=True),
    _family(
        "bitlocker-key",
        r"(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])|bitlocker[\w ]{0,20}[:=]\s*(?:\d{6}-){2,}\d{6}",
        flags=_ANY_CASE,
    ),
    _family(
        "seed-phrase",
        r"\b(?:seed(?:[ _-]?phrase)?|mnemonic|recovery[ _-]phrase|bip-?39)\b[^\n:=]{0,20}[:=]\s*"
        r"((?:[a-z]{3,8}[ ,]+){4,}[a-z]{3,8})",
        phrase=True,
        flags=_ANY_CASE,
    ),
    _family(
        "wallet-key",
        r"(?:private|secret)[ _-]?key[\"']?\s*[:=]\s*[\"']?(?:0x)?([0-9a-f]{64})(?![0-9a-f])",
        flags=_ANY_CASE,
    ),
    _family("wallet-address", r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{40}(?![0-9A-Za-z])", held=True),
    _family(
        "cloud-role",
        r"\barn:aws[\w-]*:(?:iam|sts)::\d{12}:(?:role|user|assumed-role)/\S+",
        held=True,
    ),
    _family(
        "cloud-identifier",
        r"\b(?:firebase|gcp|azure|aws)[\w -]{0,20}(?:project|tenant|subscription|account)[ _-]?id"
        r"[\"']?\s*[:=]\s*[\"']?(?=[\w-]*\d)([\w-]{8,})",
        held=True,
        flags=_ANY_CASE,
    ),
)
"""Tokens that carry their issuer's mark, and private identifiers."""

URL_CREDENTIAL: Final = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s:/@'\"<>]{0,64}):(?P<value>[^\s/'\"<>]{2,128})@[\w.\[-]",
    re.IGNORECASE,
)
"""A password inside a URL: databases, FTP, proxies, remotes."""

NUMBER_CODE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:pin|otp|cvv|cvc)(?:[ _-]?code)?[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`]?"
    r"(?P<value>\d{3,8})(?![\w.-])",
    re.IGNORECASE,
)
"""A short number that its label makes a secret."""

AUTHORIZATION: Final = re.compile(
    r"\b(?:authorization|proxy-authorization)[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|digest|apikey)\s+"
    r"(?P<value>[\w+/=.~-]{8,})|\b(?:x-)?api-key[\"']?\s*:\s*[\"']?(?P<key>[\w+/=.~-]{12,})|"
    r"(?<!\w)bearer\s+(?P<bearer>(?=[\w+/=.~-]*\d)[\w+/=.~-]{20,})",
    re.IGNORECASE,
)
"""A header that authenticates."""

LABELLED: Final = re.compile(
    r"(?<![A-Za-z0-9])(?P<label>[A-Za-z0-9_.-]{0,40}?(?:"
    r"(?:(?<!1)pass(?:word|wd|phrase|code)|(?<![A-Za-z])pass|pwd|psk|passkey)|"
    r"secret|token|(?:api|access|auth|account|signing|encryption|license|master|"
    r"mailgun|service)[ _-]?key|"
    r"credentials?|(?<![A-Za-z])salt|"
    r"session[ _-]?id|cookie|snmp[\w-]*comm(?:unity)?|connection[ _-]?string|(?<![A-Za-z])dsn|auth|"
    r"recovery[ _-]?(?:code|key)|backup[ _-]?code|bitlocker|wifi[ _-]?key)"
    r"(?:[_-](?:id|key|value|hash|base|prod|dev|test|\d{1,3}))?)"
    r"[\"'`]?\s{0,3}(?::=|=>|={1,2}|:)\s{0,3}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>,;]{3,200})",
    re.IGNORECASE,
)
"""A name that says what it is, and a value right after it."""

SPOKEN: Final = re.compile(
    r"\b(?:pass(?:word|phrase|code)|pin(?:[ -]?code)?|wi-?fi[ -]key|door[ -]code|alarm[ -]code|"
    r"secret[ -]key|api[ -]key|access[ -]token|passwort|kennwort|contraseña|mot de passe|пароль)\b"
    r"(?:\s+(?:for|to|of|on|für|de|para|от)\s+[^.\n:]{1,40}?)?"
    r"\s+(?:is|was|are|ist|lautet|es|est|:|=|-|–)\s*:?\s*[\"'`“]?(?P<value>[^\s\"'`”,;]{4,64})",
    re.IGNORECASE,
)
"""A password told in a sentence: held for a person, never refused."""
