"""Families of secrets as data: what a credential looks like, by issuer.

A family is a name and a pattern; the pattern's last group, or the whole match, is the value.
No entropy: on prose it flags every second word. Families that are *held* name private
identifiers or weak signs: a person looks, nothing is refused.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.frozen import frozen
from memfs.policy.hints import LazyPattern

_RUN: Final = 16
"""Hardly any token is shorter, and few words of prose are as long."""


@frozen
class SecretFamily:
    """One family.

    Attributes:
        name: Stable name, the detail of a reason.
        hints: One of these stands in every match, case folded; the pattern is not tried
            without one.
        lazy: What it looks like.
        run: Every match holds at least so many characters in a row without white space.
        is_spaced: A match can hold white space; where it cannot, it stands inside such a run.
        is_held: A person decides instead of a refusal.
    """

    name: str
    hints: tuple[str, ...]
    lazy: LazyPattern
    run: int
    is_spaced: bool
    is_held: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return self.lazy.compiled()


def _family(
    name: str,
    *,
    hints: str,
    pattern: str,
    run: int = _RUN,
    spaced: bool = False,
    held: bool = False,
    flags: int = 0,
) -> SecretFamily:
    return SecretFamily(
        name=name,
        hints=tuple(hints.split()),
        lazy=LazyPattern(pattern, flags),
        run=run,
        is_spaced=spaced,
        is_held=held,
    )


_ANY_CASE: Final = re.IGNORECASE
_PROSE: Final = r"(?:must|should|is|are|the|at|of|not|has|an?|for|in|to|be|and|or|with|we|you)\b"
"""Words that make a sentence of what stands after a label."""
_B: Final = r"(?<![A-Za-z0-9_-])"
"""A token starts here: nothing that could belong to it stands before."""

ISSUED: Final[tuple[SecretFamily, ...]] = (
    _family(
        "private-key",
        spaced=True,
        run=10,
        hints="-----begin",
        pattern=r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    _family("putty-key", hints="putty-user", pattern=r"PuTTY-User-Key-File-\d"),
    _family(
        "age-key", hints="age-secret", pattern=r"AGE-SECRET-KEY-1[0-9A-Z]{20,}", flags=_ANY_CASE
    ),
    _family(
        "ssh-public-key",
        spaced=True,
        run=14,
        hints="ssh-",
        pattern=r"\bssh-(?:rsa|ed25519|dss) AAAA[\w+/=]{10,}",
        held=True,
    ),
    _family(
        "aws-access-key",
        hints="akia asia abia acca",
        pattern=r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])",
    ),
    _family(
        "aws-secret-key",
        spaced=True,
        run=40,
        hints="aws amazon",
        pattern=r"\b(?:aws|amazon)[\w ./-]{0,20}(?:secret|key)[\w "
        r"./-]{0,20}[\"']?\s*[:=]+\s*[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        flags=_ANY_CASE,
    ),
    _family(
        "github-token",
        hints="ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        pattern=_B + r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{10,})",
    ),
    _family(
        "gitlab-token",
        run=21,
        hints="glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- gloas- glimt- glffct-",
        pattern=_B + r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-[\w.=-]{16,}",
    ),
    _family("bitbucket-token", hints="atbb", pattern=_B + r"ATBB[A-Za-z0-9]{28,}"),
    _family("atlassian-token", hints="atatt3", pattern=_B + r"ATATT3[\w=-]{40,}"),
    _family(
        "slack-token",
        run=15,
        hints="xox xapp-",
        pattern=_B + r"xox[abeoprs](?:\.[\w-]+)?-[\w-]{10,}|" + _B + r"xapp-\d-[\w-]{10,}",
    ),
    _family(
        "slack-webhook",
        hints="hooks.slack",
        pattern=r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{6,}",
    ),
    _family(
        "discord-webhook",
        hints="/api/webhooks/",
        pattern=r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{10,}",
    ),
    _family(
        "discord-token",
        run=59,
        hints=".",
        pattern=_B + r"[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}(?![\w-])",
    ),
    _family(
        "teams-webhook", hints="webhookb2", pattern=r"webhook\.office\.com/webhookb2/[\w@/-]{20,}"
    ),
    _family(
        "telegram-token",
        run=29,
        hints=":",
        pattern=r"(?<![\d:])\d{8,10}:(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[A-Za-z][\w-]{19,40}(?![\w-])",
    ),
    _family(
        "stripe-key",
        hints="sk_ rk_ whsec_",
        pattern=_B + r"(?:[sr]k_(?:test|live)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,})",
    ),
    _family("square-token", hints="sq0", pattern=_B + r"sq0(?:atp|csp|idp)-[\w-]{20,}"),
    _family(
        "paypal-token",
        hints="access_token$",
        pattern=r"access_token\$(?:production|sandbox)\$[a-z0-9]{12,}\$[a-f0-9]{32}",
    ),
    _family("shopify-token", hints="shp", pattern=_B + r"shp(?:at|ca|pa|ss|ua)_[A-Fa-f0-9]{28,}"),
    _family("openai-key", hints="sk-", pattern=_B + r"sk-(?:proj|svcacct|admin|None)-[\w-]{16,}"),
    _family(
        "openai-legacy-key",
        hints="t3blbkfj",
        pattern=_B + r"sk-[A-Za-z0-9]{20,}T3BlbkFJ[A-Za-z0-9]{20,}",
    ),
    _family("anthropic-key", hints="sk-ant-", pattern=_B + r"sk-ant-[\w-]{16,}"),
    _family("openrouter-key", hints="sk-or-", pattern=_B + r"sk-or-(?:v1-)?[a-f0-9]{32,}"),
    _family(
        "generic-sk-key",
        hints="sk- sk_",
        pattern=_B + r"sk[-_](?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{24,}",
    ),
    _family("groq-key", hints="gsk_", pattern=_B + r"gsk_[A-Za-z0-9]{40,}"),
    _family("perplexity-key", hints="pplx-", pattern=_B + r"pplx-[A-Za-z0-9]{40,}"),
    _family("replicate-token", hints="r8_", pattern=_B + r"r8_[A-Za-z0-9]{30,}"),
    _family("xai-key", hints="xai-", pattern=_B + r"xai-[A-Za-z0-9]{40,}"),
    _family(
        "huggingface-token",
        hints="hf_ api_org_",
        pattern=_B + r"(?:hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,})",
    ),
    _family("google-api-key", hints="aiza", pattern=_B + r"AIza[\w-]{35}(?![\w-])"),
    _family(
        "google-oauth",
        hints="ya29. gocspx- 1//0",
        pattern=_B + r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})",
    ),
    _family(
        "gcp-service-account",
        spaced=True,
        hints="private_key_id",
        pattern=r"\"private_key_id\"\s*:\s*\"[a-f0-9]{40}\"",
    ),
    _family(
        "azure-storage-key",
        spaced=True,
        run=40,
        hints="accountkey sharedaccesskey account_key",
        pattern=r"(?:AccountKey|SharedAccessKey|"
        r"account_key)\s*[=:]\s*[\"']?([A-Za-z0-9+/]{40,}={0,2})",
        flags=_ANY_CASE,
    ),
    _family(
        "azure-client-secret",
        hints="q~",
        pattern=r"(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{30,36}(?![\w~.-])",
    ),
    _family("azure-sas", hints="sig=", pattern=r"[?&]sig=([A-Za-z0-9%+/]{30,})"),
    _family("digitalocean-token", hints="_v1_", pattern=_B + r"do[oprt]_v1_[a-f0-9]{40,}"),
    _family("heroku-key", run=11, hints="hrku-", pattern=_B + r"HRKU-[\w-]{6,}"),
    _family(
        "cloudflare-token",
        run=13,
        hints="v1.0- cfut_",
        pattern=_B + r"(?:v1\.0-[a-f0-9]{8,}(?:-[a-f0-9]{60,})?|cfut_[\w-]{30,})",
    ),
    _family(
        "flyio-token",
        spaced=True,
        hints="flyv1 fo1_",
        pattern=r"\bFlyV1\s+fm\d[\w+/=,-]{20,}|" + _B + r"fo1_[\w-]{30,}",
    ),
    _family(
        "npm-token",
        run=14,
        hints="npm_ _authtoken",
        pattern=_B + r"npm_(?=[A-Za-z]*\d)[A-Za-z0-9]{10,}|//[\w./-]+/:_authToken=[\w-]{10,}",
    ),
    _family("pypi-token", run=14, hints="pypi-", pattern=_B + r"pypi-AgE[\w-]{6,}"),
    _family("rubygems-key", hints="rubygems_", pattern=_B + r"rubygems_[a-f0-9]{40,}"),
    _family("crates-token", run=35, hints="cio", pattern=_B + r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _family("docker-token", hints="dckr_", pattern=_B + r"dckr_(?:pat|oat)_[\w-]{8,}"),
    _family("terraform-token", hints=".atlasv1.", pattern=r"[A-Za-z0-9]{4,20}\.atlasv1\.[\w-]{4,}"),
    _family("vault-token", hints="hvs. hvb. hvr.", pattern=_B + r"hv[sbr]\.[\w-]{20,}"),
    _family("pulumi-token", hints="pul-", pattern=_B + r"pul-[a-f0-9]{40}"),
    _family(
        "doppler-token", hints="dp.", pattern=_B + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}"
    ),
    _family("databricks-token", hints="dapi", pattern=_B + r"dapi[a-f0-9]{32}"),
    _family("snowflake-token", hints="-hint:", pattern=r"\bver:\d-hint:\d+-ETMsDgAAA[\w+/=-]{20,}"),
    _family("sendgrid-key", hints="sg.", pattern=_B + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _family("mailgun-key", hints="key-", pattern=_B + r"key-[0-9a-f]{32}(?![0-9a-f])"),
    _family("mailchimp-key", hints="-us", pattern=r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}\b"),
    _family("sendinblue-key", hints="xkeysib-", pattern=_B + r"xkeysib-[a-f0-9]{40,}[\w-]*"),
    _family(
        "twilio-id",
        run=34,
        hints="ac sk",
        pattern=r"(?<![A-Za-z0-9])(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])",
    ),
    _family(
        "newrelic-key",
        run=13,
        hints="nrak- nrii- nrjs-",
        pattern=_B + r"(?:NRAK-[A-Z0-9]{8,}|NRII-[\w-]{20,}|NRJS-[a-f0-9]{19})",
    ),
    _family(
        "datadog-key",
        spaced=True,
        hints="dd_",
        pattern=r"\bDD_(?:API|APP|APPLICATION)_KEY\s*[=:]\s*[\"']?([a-f0-9]{32,40})",
    ),
    _family(
        "dynatrace-token", hints="dt0", pattern=_B + r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}"
    ),
    _family("grafana-token", hints="glc_ glsa_", pattern=_B + r"(?:glc|glsa)_[A-Za-z0-9+/_=]{30,}"),
    _family("sentry-token", hints="sntry", pattern=_B + r"sntry[su]_[\w+/=.-]{30,}"),
    _family("linear-key", hints="lin_", pattern=_B + r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    _family(
        "notion-token",
        hints="ntn_ secret_",
        pattern=_B + r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]))",
    ),
    _family("figma-token", hints="figd_", pattern=_B + r"figd_[\w-]{30,}"),
    _family(
        "airtable-token", run=58, hints="pat", pattern=_B + r"pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}"
    ),
    _family("postman-key", hints="pmak-", pattern=_B + r"PMAK-[a-f0-9]{20,}-[a-f0-9]{30,}"),
    _family(
        "supabase-key",
        hints="sbp_ sb_secret_",
        pattern=_B + r"(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})",
    ),
    _family(
        "planetscale-token", hints="pscale_", pattern=_B + r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"
    ),
    _family("facebook-token", run=83, hints="eaa", pattern=_B + r"EAAC?[A-Za-z0-9]{80,}"),
    _family("dropbox-token", hints="sl.", pattern=_B + r"sl\.(?:u\.)?[\w-]{100,}"),
    _family(
        "jwt",
        hints="eyj",
        pattern=r"\beyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?|\beyJ(?=[\w-]*\d)[\w-]{16,}",
    ),
    _family("otp-uri", hints="otpauth:", pattern=r"otpauth://[^\s\"'<>]*secret=[A-Z2-7]{8,}"),
    _family(
        "signed-url",
        hints="signature= access_token=",
        pattern=r"[?&](?:X-Amz-Signature|X-Goog-Signature|Signature|access_token)=[\w%+/.-]{8,}",
        flags=_ANY_CASE,
    ),
    _family(
        "license-key",
        run=23,
        hints="-",
        pattern=r"(?<![\w-])(?=[A-Z-]*\d)[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,5}(?![\w-])",
        held=True,
    ),
    _family(
        "wallet-seed",
        hints="xprv yprv zprv",
        pattern=r"(?<![A-Za-z0-9])[xyz]prv[1-9A-HJ-NP-Za-km-z]{80,}",
    ),
    _family(
        "wallet-import-key",
        run=50,
        hints="5h 5j 5k k l",
        pattern=r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d[A-Za-z]*\d)(?:5[HJK]|"
        r"[KL][1-5])[1-9A-HJ-NP-Za-km-z]{48,50}(?![A-Za-z0-9])",
    ),
    _family(
        "bitcoin-address",
        spaced=True,
        hints="btc bitcoin wallet bc1",
        pattern=r"(?:btc|bitcoin|wallet)[\w "
        r"]{0,16}[:=]\s*[13][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9])|"
        r"(?<![A-Za-z0-9])bc1[a-z0-9]{38,60}(?![A-Za-z0-9])",
        held=True,
        flags=_ANY_CASE,
    ),
    _family(
        "passphrase-words",
        spaced=True,
        run=6,
        hints="phrase",
        pattern=rf"\bpass[ _-]?phrase\s*[:=]\s*[\"'`]?((?!{_PROSE})[a-z]{{3,10}}(?:[ "
        rf"-](?!{_PROSE})[a-z0-9]{{2,10}}){{2,8}})[\"'`]?\s*$",
        held=True,
        flags=_ANY_CASE | re.MULTILINE,
    ),
    _family(
        "netrc",
        spaced=True,
        run=8,
        hints="machine",
        pattern=r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{4,})",
    ),
    _family("bitlocker-key", run=55, hints="-", pattern=r"(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])"),
    _family(
        "bitlocker-label",
        spaced=True,
        run=20,
        hints="bitlocker",
        pattern=r"bitlocker[\w ]{0,20}[:=]\s*(?:\d{6}-){2,}\d{6}",
        flags=_ANY_CASE,
    ),
    _family(
        "seed-phrase",
        spaced=True,
        run=4,
        hints="seed mnemonic recovery bip",
        pattern=r"\b(?:seed(?:[ _-]?phrase)?|mnemonic|recovery[ _-]phrase|"
        r"bip-?39)\b[^\n:=]{0,20}[:=]\s*((?:[a-z]{3,8}[ ,]+){4,}[a-z]{3,8})",
        flags=_ANY_CASE,
    ),
    _family(
        "wallet-key",
        spaced=True,
        run=64,
        hints="key",
        pattern=r"(?:private|secret)[ _-]?key[\"']?\s*[:=]\s*[\"']?(?:0x)?([0-9a-f]{64})(?"
        r"![0-9a-f])",
        flags=_ANY_CASE,
    ),
    _family(
        "wallet-address",
        hints="0x",
        pattern=r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{40}(?![0-9A-Za-z])",
        held=True,
    ),
    _family(
        "cloud-role",
        hints="arn:aws",
        pattern=r"\barn:aws[\w-]*:(?:iam|sts)::\d{12}:(?:role|user|assumed-role)/\S+",
        held=True,
    ),
    _family(
        "cloud-identifier",
        spaced=True,
        run=8,
        hints="firebase gcp azure aws",
        pattern=r"\b(?:firebase|gcp|azure|aws)[\w -]{0,20}(?:project|tenant|subscription|"
        r"account)[ _-]?id[\"']?\s*[:=]\s*[\"']?(?=[\w-]*\d)([\w-]{8,})",
        held=True,
        flags=_ANY_CASE,
    ),
)
"""Tokens that carry their issuer's mark, and private identifiers."""
