"""Secret screening: fabricated tokens of each family, harmless look-alikes, and measured data.

Every token is put together at run time; no line of this file holds one whole.
"""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.policy.screening import scan_secrets, screen
from memfs.policy.secret_patterns import ISSUED, SecretFamily
from memfs.policy.secrets import family_names
from tests.support.policy import corpus

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits


def made(alphabet: str, length: int, seed: int = 7) -> str:
    """Returns random characters with at least one digit and one letter among them."""
    source = random.Random(seed)
    return "a1" + "".join(source.choice(alphabet) for _ in range(length - 2))


def upper(length: int) -> str:
    return made(UPPER, length).upper()


TOKENS = {
    "private-key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "putty-key": "PuTTY-User-Key" + "-File-3: ssh-rsa",
    "age-key": "AGE-SECRET" + "-KEY-1" + upper(58),
    "ssh-public-key": "ssh-" + "ed25519 AAAA" + made(ALNUM, 60),
    "aws-access-key": "AK" + "IA" + upper(16),
    "aws-secret-key": "aws_secret_access_key = " + made(ALNUM, 40),
    "github-token": "gh" + "p_" + made(ALNUM, 36),
    "gitlab-token": "gl" + "pat-" + made(ALNUM, 20),
    "bitbucket-token": "AT" + "BB" + made(ALNUM, 32),
    "atlassian-token": "ATA" + "TT3" + made(ALNUM, 60),
    "slack-token": "xo" + "xb-123456789012-" + made(ALNUM, 24),
    "slack-webhook": "https://hooks.slack" + ".com/services/T0/B0/" + made(ALNUM, 24),
    "discord-webhook": "https://discord.com/api" + "/webhooks/123456/" + made(ALNUM, 60),
    "discord-token": "M" + made(ALNUM, 23) + "." + made(ALNUM, 6) + "." + made(ALNUM, 27),
    "teams-webhook": "https://x.webhook.office" + ".com/webhookb2/" + made(ALNUM, 40),
    "telegram-token": "123456789" + ":AA" + made(ALNUM, 33),
    "stripe-key": "sk" + "_live_" + made(ALNUM, 24),
    "square-token": "sq0" + "csp-" + made(ALNUM, 43),
    "paypal-token": "access_token$production" + "$" + made(HEX, 16) + "$" + made(HEX, 32),
    "shopify-token": "sh" + "pat_" + made(HEX, 32),
    "openai-key": "sk-" + "proj-" + made(ALNUM, 48),
    "openai-legacy-key": "sk-" + made(ALNUM, 20) + "T3Blbk" + "FJ" + made(ALNUM, 20),
    "anthropic-key": "sk-" + "ant-api03-" + made(ALNUM, 80),
    "openrouter-key": "sk-" + "or-v1-" + made(HEX, 64),
    "generic-sk-key": "sk" + "-" + made(ALNUM, 40),
    "groq-key": "gs" + "k_" + made(ALNUM, 52),
    "perplexity-key": "pp" + "lx-" + made(ALNUM, 48),
    "replicate-token": "r8" + "_" + made(ALNUM, 37),
    "xai-key": "xa" + "i-" + made(ALNUM, 80),
    "huggingface-token": "hf" + "_" + made(ALNUM, 34),
    "google-api-key": "AI" + "za" + made(ALNUM, 35),
    "google-oauth": "GOC" + "SPX-" + made(ALNUM, 28),
    "gcp-service-account": '"private_key' + '_id": "' + made(HEX, 40) + '"',
    "azure-storage-key": "Account" + "Key=" + made(ALNUM, 86) + "==",
    "azure-client-secret": "abc" + "8Q~" + made(ALNUM, 34),
    "azure-sas": "https://x.blob/y?si" + "g=" + made(ALNUM, 44),
    "digitalocean-token": "do" + "p_v1_" + made(HEX, 64),
    "heroku-key": "HR" + "KU-" + made(ALNUM, 36),
    "cloudflare-token": "cf" + "ut_" + made(ALNUM, 40),
    "flyio-token": "fo" + "1_" + made(ALNUM, 43),
    "npm-token": "np" + "m_" + made(ALNUM, 36),
    "pypi-token": "py" + "pi-AgE" + made(ALNUM, 60),
    "rubygems-key": "ruby" + "gems_" + made(HEX, 48),
    "crates-token": "ci" + "o" + made(ALNUM, 32),
    "docker-token": "dckr" + "_pat_" + made(ALNUM, 27),
    "terraform-token": made(ALNUM, 14) + ".atlas" + "v1." + made(ALNUM, 60),
    "vault-token": "hv" + "s." + made(ALNUM, 90),
    "pulumi-token": "pu" + "l-" + made(HEX, 40),
    "doppler-token": "dp" + ".pt." + made(ALNUM, 43),
    "databricks-token": "da" + "pi" + made(HEX, 32),
    "snowflake-token": "ver:1-hint:" + "12-ETMsDg" + "AAA" + made(ALNUM, 40),
    "sendgrid-key": "S" + "G." + made(ALNUM, 22) + "." + made(ALNUM, 43),
    "mailgun-key": "ke" + "y-" + made(HEX, 32),
    "mailchimp-key": made(HEX, 32) + "-u" + "s12",
    "sendinblue-key": "xkey" + "sib-" + made(HEX, 64) + "-" + made(ALNUM, 16),
    "twilio-id": "A" + "C" + made(HEX, 32),
    "newrelic-key": "NR" + "AK-" + upper(27),
    "datadog-key": "DD_API" + "_KEY=" + made(HEX, 32),
    "dynatrace-token": "dt" + "0c01." + upper(24) + "." + upper(64),
    "grafana-token": "gl" + "sa_" + made(ALNUM, 41),
    "sentry-token": "snt" + "rys_" + made(ALNUM, 60),
    "linear-key": "lin" + "_api_" + made(ALNUM, 40),
    "notion-token": "nt" + "n_" + made(ALNUM, 46),
    "figma-token": "fi" + "gd_" + made(ALNUM, 40),
    "airtable-token": "pa" + "t" + made(ALNUM, 14) + "." + made(HEX, 64),
    "postman-key": "PM" + "AK-" + made(HEX, 24) + "-" + made(HEX, 34),
    "supabase-key": "sb" + "p_" + made(HEX, 40),
    "planetscale-token": "pscale" + "_tkn_" + made(ALNUM, 43),
    "facebook-token": "EA" + "AC" + made(ALNUM, 120),
    "dropbox-token": "s" + "l." + made(ALNUM, 130),
    "jwt": "ey" + "J" + made(ALNUM, 30) + ".ey" + "J" + made(ALNUM, 60) + "." + made(ALNUM, 40),
    "otp-uri": "otpauth" + "://totp/acme:ana?secret=" + "JBSWY3DP" * 2,
    "signed-url": "https://b.example/k?X-Amz-Sig" + "nature=" + made(HEX, 64),
    "license-key": "-".join(["AB1DE", "F2HIJ", "K3MNO", "P4RST", "U5WXY"]),
    "wallet-seed": "xp" + "rv9" + "s21ZrQH143K3" * 9,
    "wallet-import-key": "5" + "H" + "ueCGU8rMjx" * 4 + "ueCGU8rMj",
    "bitcoin-address": "btc: 1" + "A1zP1eP5QGefi2DMPTfTL5SLmv7Div",
    "passphrase-words": "pass" + "phrase: correct horse battery staple",
    "netrc": "machine example.org login ana pass" + "word " + made(ALNUM, 12),
    "bitlocker-key": "-".join(["123456", "654321", "112233", "332211"] * 2),
    "bitlocker-label": "BitLocker recovery: " + "-".join(["123456", "654321", "112233"]),
    "seed-phrase": "seed " + "phrase: apple banana cherry dog elephant frog",
    "wallet-key": "private" + "_key: 0x" + made(HEX, 64),
    "wallet-address": "0" + "x" + made(HEX, 40),
    "cloud-role": "arn:aws" + ":iam::123456789012:role/Deploy",
    "cloud-identifier": "gcp project" + "-id: acme-prod-48213",
    "url-credential": "postgres://app:" + "s3cr3t-pw" + "@db.example.org/app",
    "authorization": "Author" + "ization: Bearer " + made(ALNUM, 40),
    "number-code": "PI" + "N: 4821",
    "structured-token": "the deploy token of the queue is now q_prod_" + "7Q4T-M2XB-9K1D",
    "labelled-credential": "db_pass" + "word: " + made(ALNUM, 14),
    "spoken-password": "The wifi pass" + "word is Blue-Kettle77",
    "command-line": "curl -u deploy:" + made(ALNUM, 14) + " https://api.example.org",
    "spoken-code": "The closet PI" + "N is 4821",
}

HARMLESS = [
    "Fixed in commit 3f786850e387550fdaeb0a4d1c6f5ad2bdd9e0e3.",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "The id is mem_01kb8x3v6yq4m9t2r7w5z1c0de.",
    "Request 550e8400-e29b-41d4-a716-446655440000 failed.",
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuw=="',
    "![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ)",
    "api_key = <your-api-key>",
    'password = os.environ["DB_PASSWORD"]',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "The password policy asks for twelve characters; the token expires after a day.",
    "Set max_tokens: 4096 and page_token: next.",
    "Passwords are hashed with argon2id, secrets live in the vault.",
    "The password is stored in 1Password: Team/Deploy.",
    "secret: changeme",
    "api_key: xxxxxxxxxxxxxxxx",
    "The meeting is at 10:30, pass: no.",
    "Clone git@github.com:acme/app.git or https://example.org/app.git.",
    "auth: required, session: optional, cookie: strict",
    "Use the token bucket algorithm; key: value pairs; salt: to taste.",
    "Port 5432, version 3.11.7, pin: numpy==1.26.4.",
    "The password is case-sensitive, SHA-256 hashed and 12 to 64 characters long.",
    "The API key is read from OPENAI_API_KEY; the secret key is process.env.KEY.",
    "The access token is short-lived and JWT-based; the private key is RSA-4096.",
    "Status code: 404, error code: 1201, zip code: 94110, exit code: 137.",
    "The passphrase is required and the PIN is resident-controlled.",
    "The password was changed to meet the policy.",
    "Run pytest -p no:cacheprovider --token-file ./t; docker login -p is discouraged.",
    "curl -u deploy:$PASSWORD https://api.example.org and mysql -p app.",
]


@pytest.mark.parametrize("family", TOKENS)
def test_each_family_is_found_in_a_sentence(family: str) -> None:
    text = f"Note to self: {TOKENS[family]}\nThat is all."
    found = scan_secrets(text)
    assert family in {item.family for item in found}


def test_every_own_family_has_a_fabricated_token_and_there_are_enough() -> None:
    own = {family.name for family in ISSUED}
    assert own <= set(TOKENS)
    assert len(own) >= 36
    assert len(family_names()) > len(own)


@pytest.mark.parametrize("family", TOKENS)
def test_findings_and_reasons_never_carry_the_value(family: str) -> None:
    text = f"x {TOKENS[family]} y"
    tail = TOKENS[family][-8:]
    assert tail not in repr(scan_secrets(text))
    assert tail not in repr(screen(text, is_person=True))


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert scan_secrets(text) == ()


OWN_CODES = [
    "The closet PI" + "N is 4821 if the hall door sticks.",
    "Gate co" + "de: 4821, please keep it to ourselves.",
    "The pass" + "phrase for the pickup is amber-otter-17 until Friday.",
    "We changed the locker co" + "de to 7731 after the move.",
]
CREDENTIALS = [
    "The wifi pass" + "word is Blue-Kettle77",
    "My debit card PI" + "N is 4821.",
    "The pass" + "phrase of my ssh key is amber-otter-17.",
    "The gpg pass" + "phrase is 'amber otter'.",
    "Das Pass" + "wort lautet Winterreise24!",
    "La contra" + "seña es Perro#2031",
    "Heslo: " + "Zima2031abc",
    "O pin da senha: a sen" + "ha é Verão#2031",
    "パスワ" + "ード: sakura2031",
    "The staging api" + " key is 9f8a7b6c5d4e",
    "pi" + "n:4821",
    "gate_co" + "de=4821#",
    "cv" + "v: 482",
]


@pytest.mark.parametrize("text", OWN_CODES)
def test_a_code_of_the_household_is_a_person_s_own_to_keep(text: str) -> None:
    mine = screen(text, is_person=True, body=text)
    assert (mine.rejects, mine.holds) == ((), ())
    told = screen(text, is_person=False, body=text)
    assert told.rejects == ()


@pytest.mark.parametrize("text", CREDENTIALS)
def test_a_password_or_key_told_in_words_is_refused_whoever_says_it(text: str) -> None:
    for is_person in (True, False):
        screened = screen(text, is_person=is_person, body=text)
        assert [item.code for item in screened.rejects] == ["screening.secret"]


IDENTIFIERS = [item.name for item in ISSUED if item.is_held and item.name != "passphrase-words"]


@pytest.mark.parametrize("family", IDENTIFIERS)
def test_a_private_identifier_waits_in_a_sentence_and_is_refused_alone(family: str) -> None:
    token = TOKENS[family]
    sentence = f"We use {token} when the nightly build publishes to its customers."
    assert screen(sentence, is_person=True, body=sentence).rejects == ()
    assert "screening.secret-hint" in [
        item.code for item in screen(sentence, is_person=True, body=sentence).holds
    ]
    assert screen(f"Key: {token}", is_person=True, body=f"Key: {token}").rejects


def test_case_that_only_a_pattern_ignores_hides_no_password() -> None:
    families = [finding.family for finding in scan_secrets("the key CREDENT\u0130ALS=tr0ub4dor&3")]
    assert families == ["labelled-credential"]
    assert scan_secrets("the pa\u017f\u017fword is tr0ub4dor&3") != ()


def test_a_hidden_character_inside_a_token_does_not_save_it() -> None:
    token = TOKENS["github-token"]
    screened = screen(token[:10] + "\u200b" + token[10:], is_person=True)
    assert "screening.secret" in [item.code for item in screened.rejects]


@pytest.mark.parametrize("family", ISSUED, ids=lambda family: str(family.name))
def test_a_family_s_hints_stand_in_its_own_matches(family: SecretFamily) -> None:
    match = family.pattern.search(TOKENS[family.name])
    assert match is not None
    assert any(hint in match[0].casefold() for hint in family.hints)


@pytest.mark.parametrize("family", ISSUED, ids=lambda family: str(family.name))
def test_a_family_s_matches_stand_in_words_as_long_as_it_says(family: SecretFamily) -> None:
    texts = (TOKENS[family.name], *(row["text"] for row in corpus("attack_corpus.jsonl")))
    for text in texts:
        for match in family.pattern.finditer(text):
            assert max(map(len, match[0].split())) >= family.run
            assert family.is_spaced or len(match[0].split()) == 1


@given(st.text(max_size=300))
def test_any_text_can_be_scanned_and_spans_stay_inside_it(text: str) -> None:
    for finding in scan_secrets(text):
        assert 0 <= finding.start < finding.end <= len(text)


def test_measured_recall_on_fake_credentials_is_at_least_95_percent() -> None:
    rows = list(corpus("pasb_credentials.jsonl"))
    rows += [row for row in corpus("attack_corpus.jsonl") if row["label"] == "secret"]
    caught = sum(bool(scan_secrets(row.get("value") or row["text"])) for row in rows)
    assert caught / len(rows) >= 0.95, f"{caught} of {len(rows)}"


def test_measured_false_alarms_on_benign_texts_are_at_most_half_a_percent() -> None:
    rows = [row for row in corpus("attack_corpus.jsonl") if row["label"] == "benign"]
    flagged = sum(bool(scan_secrets(row["text"])) for row in rows)
    refused = sum(bool(screen(row["text"], is_person=True).rejects) for row in rows)
    assert flagged / len(rows) <= 0.005, f"{flagged} of {len(rows)}"
    assert refused / len(rows) <= 0.005, f"{refused} of {len(rows)}"


@pytest.mark.parametrize("label", ["originSessionId", "session_id", "sessionId"])
def test_the_name_of_a_conversation_is_no_secret(label: str) -> None:
    assert scan_secrets(f"{label}: 7c1d0f52-6f0e-4f0a-9d53-0c1f9b7e0031") == ()


def test_another_label_before_a_uuid_still_is_one() -> None:
    found = scan_secrets("session_token: 7c1d0f52-6f0e-4f0a-9d53-0c1f9b7e0031")
    assert [item.family for item in found] == ["labelled-credential"]
