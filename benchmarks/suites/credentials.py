"""Our own list: credentials as people and programs write them down, and what only looks so.

Every value is made at run time from a fixed seed; nothing here is a token of anybody.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

HEX: Final = "0123456789abcdef"
ALNUM: Final = string.ascii_letters + string.digits
UPPER: Final = string.ascii_uppercase + string.digits


@dataclass(frozen=True, slots=True)
class Credential:
    """One credential as it is written down."""

    name: str
    text: str


class Maker:
    """Makes values of a shape: ``{h32}`` hexadecimal, ``{a20}`` letters and digits."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def fill(self, shape: str) -> str:
        """Returns a shape with every place filled; each place has a digit and a letter."""
        parts = shape.split("{")
        filled = [parts[0]]
        for part in parts[1:]:
            place, rest = part.split("}", 1)
            filled.append(self._value(place[0], int(place[1:])) + rest)
        return "".join(filled)

    def _value(self, alphabet: str, length: int) -> str:
        letters = {"h": HEX, "a": ALNUM, "u": UPPER, "d": string.digits}[alphabet]
        body = "".join(self._random.choice(letters) for _ in range(length))
        return body if alphabet == "d" or length < 4 else f"{letters[11]}{body[1:-1]}7"


_SHAPES: Final = {
    "github": "gh" + "p_{a36}",
    "github-fine": "github" + "_pat_{a22}_{a40}",
    "gitlab": "gl" + "pat-{a20}",
    "slack": "xo" + "xb-{d12}-{d12}-{a24}",
    "stripe": "sk" + "_live_{a24}",
    "openai": "sk" + "-proj-{a48}",
    "anthropic": "sk" + "-ant-api03-{a90}",
    "google": "AI" + "za{a35}",
    "aws-id": "AK" + "IA{u16}",
    "sendgrid": "S" + "G.{a22}.{a43}",
    "twilio": "A" + "C{h32}",
    "npm": "np" + "m_{a36}",
    "pypi": "py" + "pi-AgE{a60}",
    "docker": "dckr" + "_pat_{a27}",
    "huggingface": "hf" + "_{a34}",
    "digitalocean": "dop" + "_v1_{h64}",
    "shopify": "shp" + "at_{h32}",
    "telegram": "{d9}:AA{a33}",
    "vault": "hv" + "s.{a90}",
    "linear": "lin" + "_api_{a40}",
    "grafana": "gl" + "sa_{a32}_{h8}",
    "jwt": "ey" + "J{a30}.ey" + "J{a60}.{a43}",
    "age": "AGE-SECRET" + "-KEY-1{u58}",
    "databricks": "da" + "pi{h32}",
    "newrelic": "NR" + "AK-{u27}",
    "postman": "PM" + "AK-{h24}-{h34}",
    "figma": "fi" + "gd_{a40}",
    "supabase": "sb" + "p_{h40}",
    "square": "sq0" + "csp-{a43}",
    "groq": "gs" + "k_{a52}",
}
"""Tokens that carry their issuer's mark."""

_FORMS: Final = (
    "{0}",
    "export TOKEN={0}",
    "The deploy job uses {0} since last week.",
    '{{"auth": "{0}"}}',
    "- `{0}`",
)
"""How such a token stands in a text."""

_LABELLED: Final = (
    "DATABASE_URL=postgres" + "://app:{a14}@db.example.org:5432/app",
    "mongodb+srv" + "://svc:{a16}@cluster0.example.net/prod",
    "redis" + "://:{a18}@10.0.0.4:6379/0",
    "amqp" + "://worker:{a12}@mq.example.org",
    "https" + "://deploy:{a20}@git.example.org/app.git",
    "jdbc:postgresql://db/app?user=app&pass" + "word={a14}",
    "Server=db;Database=app;User Id=sa;Pass" + "word={a12};",
    "PGPASS" + "WORD={a12} psql -h db app",
    "mysql -u root -p" + "{a12} app",
    "curl -u deploy:{a14} https://api.example.org/x",
    "sshpass -p '{a12}' ssh root@host",
    "docker login -u ci --pass" + "word {a16} registry.example.org",
    "spring.datasource.pass" + "word={a12}",
    "smtp_pa" + "ss: {a14}",
    "SECRET_KEY_BA" + "SE={h64}",
    "SECRET_K" + "EY = 'django-insecure-{a50}'",
    "JWT_SE" + "CRET: {a32}",
    "NEXTAUTH_SE" + "CRET={a43}",
    "ENCRYPTION_K" + "EY={a43}=",
    "client_se" + "cret: {a40}",
    "aws_secret_access_k" + "ey = {a40}",
    "aws_session_to" + "ken={a120}",
    "X-Api-K" + "ey: {a32}",
    "Author" + "ization: Bearer {a40}",
    "Author" + "ization: Basic {a32}==",
    "Cookie: session" + "id={a32}",
    "Set-Cookie: auth_to" + "ken={a40}; HttpOnly",
    "refresh_to" + "ken: {a40}",
    "AccountK" + "ey={a86}==",
    "machine api.example.org login ci pass" + "word {a14}",
    "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n{a64}",
    "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----",
    "https://hooks.slack" + ".com/services/T{u8}/B{u8}/{a24}",
    "https://discord.com/api" + "/webhooks/{d18}/{a60}",
    "otpauth" + "://totp/acme:ana?secret=JBSWY3DPEHPK3PXP",
    "webhook_se" + "cret={h40}",
    "wifi_ps" + "k:{a14}!",
    "snmp_comm" + "unity: {a12}",
    "ftp_pa" + "ss={a10}",
    "admin_pass" + "word: {a12}",
    "root pass" + "word: {a12}",
    "pi" + "n:{d4}",
    "otp_co" + "de={d6}",
    "recovery_co" + "de: {a10}-{a10}",
    "private_k" + "ey: 0x{h64}",
    "seed phra" + "se: ripple anchor velvet kitten orbit lemon saddle",
    "kubeconfig to" + "ken: {a60}",
    "licence: set license_k" + "ey={u5}-{u5}-{u5}-{u5}",
    "The pass" + "word for staging is {a6}#{a6}.",
    "Login is ana / pass" + "word: {a9}!",
    "my api" + " key is {a32}",
    "Das Pass" + "wort lautet {a10}!",
    "Le mot de pa" + "sse est {a10}",
    "La contra" + "seña es {a10}",
    "A sen" + "ha é {a10}",
    "Het wacht" + "woord is {a10}",
    "пар" + "оль: {a10}",
    "密" + "码是{a10}",
    "パス" + "ワードは{a10}",
)
"""Credentials that only their surroundings tell."""

HARMLESS: Final[tuple[str, ...]] = (
    "Fixed in commit 3f786850e387550fdaeb0a4d1c6f5ad2bdd9e0e3.",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 is the image digest.",
    "Request 550e8400-e29b-41d4-a716-446655440000 failed with status code: 503.",
    "api_key = <your-api-key>",
    'password = os.environ["DB_PASSWORD"]',
    "token: ${{ secrets.DEPLOY_TOKEN }}",
    "The password policy asks for twelve characters; the token expires after a day.",
    "Set max_tokens: 4096 and next_page_token: none.",
    "Passwords are hashed with argon2id, secrets live in the vault.",
    "The password is stored in 1Password under Team/Deploy.",
    "secret: changeme",
    "api_key: xxxxxxxxxxxxxxxx",
    "auth: required, session: optional, cookie: strict",
    "Use the token bucket algorithm with key: value pairs.",
    "Port 5432, version 3.11.7, pin: numpy==1.26.4.",
    "The password is case-sensitive, SHA-256 hashed and 12 to 64 characters long.",
    "The API key is read from OPENAI_API_KEY at start.",
    "Ask Marta for the door code before Friday; the PIN is resident-controlled.",
    "Zip code: 94110, area code: 415, course code: CS-101.",
    "Room 218, extension 44, ask for Lena; the slot is at 10:30.",
    "Booking reference QX7T2M, seat 14A, terminal 2.",
    "Order 100-2231-7 shipped with tracking number 1Z999AA10123456784.",
    "The invoice number is INV-2026-00417 over 1,280.50 EUR.",
    "Clone git@github.com:acme/app.git or https://example.org/app.git.",
    "See https://example.org/reset-password?step=2 for the flow.",
    "The JWT is verified with RS256 and the key id kid-2026-11.",
    "MAC address 00:1A:2B:3C:4D:5E, serial number C02XK0AAJGH5.",
    "IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334 is the gateway.",
    "The migration 20261130_101500_add_session_id.sql adds session_id: uuid.",
    "Primary key: user_id, foreign key: account_id, sort key: created_at.",
    "Pass: 214 tests, fail: 0, skip: 3.",
    "The keyboard shortcut key is Ctrl+Shift+K; passkey login is optional.",
    "The access token is short-lived; the refresh token is rotated every 30 days.",
    "ISBN 978-3-16-148410-0 is on the shelf; call 415-555-0132 first.",
    "Das Passwort ist im Tresor, der Schlüssel liegt beim Empfang.",
    "El código de la reunión es fácil de recordar.",
    "We rotate credentials quarterly and never write secrets in notes.",
    "Compass bearings: 270, bypass: closed, pastime: chess.",
    "The codename is Bluebird-7 and the alias is Lena.",
    "Session 14 of the podcast: cookies, tokens and keys explained.",
)
"""Texts that a coarse screen takes for credentials."""


def own_credentials() -> Iterator[Credential]:
    """Yields every credential of the list, the same in each run."""
    maker = Maker(7)
    for name, shape in _SHAPES.items():
        for number, form in enumerate(_FORMS):
            yield Credential(f"{name}/{number}", form.format(maker.fill(shape)))
    for number, shape in enumerate(_LABELLED):
        yield Credential(f"labelled/{number}", maker.fill(shape))
