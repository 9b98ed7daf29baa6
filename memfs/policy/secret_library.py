"""The detectors of a library, asked of the lines that could hold a token at all (A81).

They are loaded when the first such line comes: most texts hold none. Nothing here judges what
is found, and no verifier of the library, which would use the network, is ever called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

_TOKEN_CHARS: Final = 16
_LINE_CHARS: Final = 4_000
_DIGIT: Final = re.compile(r"\d")


def is_for_library(text: str) -> bool:
    """Tells whether a text could hold a token; linear, unlike one pattern for it."""
    return "://" in text or any(map(_is_token, text.split()))


def library_findings(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields family, start and end of what the detectors find, line by line."""
    offset = 0
    wanted = ["://", *(word for word in text.split() if _is_token(word))]
    for line in text.splitlines(keepends=True):
        if len(line) <= _LINE_CHARS and any(word in line for word in wanted):
            for plugin, searches in _detectors():
                if searches and not any(search(line) for search in searches):
                    continue
                for value in plugin.analyze_string(line):
                    at = line.find(value)
                    if at >= 0 and value:
                        yield _family(plugin), offset + at, offset + at + len(value)
        offset += len(line)


def _is_token(word: str) -> bool:
    return len(word) >= _TOKEN_CHARS and _DIGIT.search(word) is not None


def library_families() -> tuple[str, ...]:
    """Returns the names of the families that the detectors know."""
    return tuple(map(_family, _plugins()))


def _family(plugin: BasePlugin) -> str:
    return str(plugin.secret_type).lower().replace(" ", "-")


@cache
def _detectors() -> tuple[tuple[BasePlugin, tuple[Callable[[str], object], ...]], ...]:
    """Returns each detector with what has to find something before it can; empty for unknown."""
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.jwt import JwtTokenDetector

    found = []
    for plugin in _plugins():
        asked = type(plugin).analyze_string
        is_plain = asked in (RegexBasedDetector.analyze_string, JwtTokenDetector.analyze_string)
        patterns = plugin.denylist if is_plain and isinstance(plugin, RegexBasedDetector) else ()
        found.append((plugin, tuple(pattern.search for pattern in patterns)))
    return tuple(found)


@cache
def _plugins() -> tuple[BasePlugin, ...]:
    """Makes own instances of the library's detectors: its settings are global to the process.

    Detectors by entropy and by keyword are left out (every second word of prose), and so
    are addresses, which are no secrets.
    """
    from detect_secrets.plugins.artifactory import ArtifactoryDetector
    from detect_secrets.plugins.aws import AWSKeyDetector
    from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
    from detect_secrets.plugins.cloudant import CloudantDetector
    from detect_secrets.plugins.discord import DiscordBotTokenDetector
    from detect_secrets.plugins.github_token import GitHubTokenDetector
    from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
    from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
    from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
    from detect_secrets.plugins.jwt import JwtTokenDetector
    from detect_secrets.plugins.mailchimp import MailchimpDetector
    from detect_secrets.plugins.npm import NpmDetector
    from detect_secrets.plugins.openai import OpenAIDetector
    from detect_secrets.plugins.private_key import PrivateKeyDetector
    from detect_secrets.plugins.pypi_token import PypiTokenDetector
    from detect_secrets.plugins.sendgrid import SendGridDetector
    from detect_secrets.plugins.slack import SlackDetector
    from detect_secrets.plugins.softlayer import SoftlayerDetector
    from detect_secrets.plugins.square_oauth import SquareOAuthDetector
    from detect_secrets.plugins.stripe import StripeDetector
    from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
    from detect_secrets.plugins.twilio import TwilioKeyDetector

    return (
        ArtifactoryDetector(),
        AWSKeyDetector(),
        AzureStorageKeyDetector(),
        CloudantDetector(),
        DiscordBotTokenDetector(),
        GitHubTokenDetector(),
        GitLabTokenDetector(),
        IbmCloudIamDetector(),
        IbmCosHmacDetector(),
        JwtTokenDetector(),
        MailchimpDetector(),
        NpmDetector(),
        OpenAIDetector(),
        PrivateKeyDetector(),
        PypiTokenDetector(),
        SendGridDetector(),
        SlackDetector(),
        SoftlayerDetector(),
        SquareOAuthDetector(),
        StripeDetector(),
        TelegramBotTokenDetector(),
        TwilioKeyDetector(),
    )
