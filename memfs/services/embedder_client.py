"""The client of an embedder: asked only where one is configured, and on this machine alone.

It speaks to Ollama or to an OpenAI-compatible endpoint. Words of records are sent to it, so that
an address that is not on this machine counts as remote and gets only what may go there.
Whatever goes wrong is a code and nothing else.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from memfs.errors import IndexUnavailableError
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from httpx2 import BaseTransport

DEFAULT_URL: Final = "http://127.0.0.1:11434"
DEFAULT_TIMEOUT_S: Final = 10.0
QUESTION_TIMEOUT_S: Final = 1.0
"""A question waits no longer: the order is that of the words then."""
MOST_BYTES: Final = 16_777_216
_OLLAMA: Final = "/api/embed"
_OPENAI: Final = "/embeddings"
_OLLAMA_PORT: Final = 11434


class EmbedderError(IndexUnavailableError):
    """The embedder could not be asked, or what it said is no vector."""

    code = "embedder.failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderClient:
    """Asks one embedder.

    Attributes:
        name: Name of the model; a vector of another name is made anew.
        url: Base address; Ollama on this machine when empty.
        key: Secret for it; sent over TLS or within this machine alone.
        timeout_s: After so many seconds there is no vector of a record.
        question_timeout_s: The same for a question.
        transport: Stands for the network under test.
    """

    name: str
    url: str = ""
    key: str = field(default="", repr=False)
    timeout_s: float = DEFAULT_TIMEOUT_S
    question_timeout_s: float = QUESTION_TIMEOUT_S
    transport: BaseTransport | None = field(default=None, repr=False)

    @property
    def is_remote(self) -> bool:
        """Whether words that are embedded leave this machine."""
        host = _parts(self.url).hostname or ""
        try:
            return not ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host != "localhost"

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns a vector for each text, in order.

        Raises:
            EmbedderError: It could not be asked, or what it said is no vector for each.
        """
        return self._embedded(texts, self.timeout_s)

    def embed_question(self, text: str) -> tuple[float, ...]:
        """Returns the vector of a question, or gives up soon.

        Raises:
            EmbedderError: It could not be asked in time, or what it said is no vector.
        """
        (vector,) = self._embedded((text,), self.question_timeout_s)
        return vector

    def _embedded(self, texts: Sequence[str], timeout_s: float) -> tuple[tuple[float, ...], ...]:
        address, is_ollama = _address(self.url)
        if self.key and address.scheme != "https" and self.is_remote:
            raise EmbedderError("expected https for a key", code="embedder.bad-address")
        content = self._posted(
            urlunsplit(address), {"model": self.name, "input": list(texts)}, timeout_s
        )
        try:
            value = json.loads(content)
            rows = value["embeddings"] if is_ollama else [it["embedding"] for it in value["data"]]
            vectors = tuple(tuple(float(part) for part in row) for row in rows)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise EmbedderError("no vectors came back", code="embedder.bad-answer") from error
        if len(vectors) != len(texts) or not all(vectors):
            raise EmbedderError("expected a vector a text", code="embedder.bad-answer")
        return vectors

    def _posted(self, url: str, payload: JsonValue, timeout_s: float) -> bytes:
        try:
            import httpx2
        except ImportError as error:
            raise EmbedderError(
                "httpx2 is not installed",
                hint="install memfs-ledger[model]",
                code="embedder.not-installed",
            ) from error
        headers = {"accept-encoding": "identity"}
        if self.key:
            headers["authorization"] = f"Bearer {self.key}"
        try:
            with httpx2.Client(
                timeout=timeout_s,
                transport=self.transport,
                follow_redirects=False,
                trust_env=self.is_remote,
                # Without TLS there is nothing to verify, and reading certificates takes long.
                verify=url.startswith("https:"),
            ) as client:
                response = client.post(url, json=payload, headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            raise EmbedderError("it was not reached", code="embedder.unreachable") from error
        if response.status_code != httpx2.codes.OK or len(response.content) > MOST_BYTES:
            raise EmbedderError("it refused", code="embedder.refused")
        return response.content


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url or DEFAULT_URL)
        _ = parts.port
    except ValueError as error:
        raise EmbedderError("it is no address", code="embedder.bad-address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EmbedderError("it is no address", code="embedder.bad-address")
    return parts


def _address(url: str) -> tuple[SplitResult, bool]:
    """Returns where to post, and whether Ollama's own protocol is spoken there."""
    parts = _parts(url)
    path = parts.path.rstrip("/")
    if path.endswith((_OLLAMA, _OPENAI)):
        return parts._replace(path=path), path.endswith(_OLLAMA)
    if path == "/api" or (not path and parts.port == _OLLAMA_PORT):
        return parts._replace(path=_OLLAMA), True
    return parts._replace(path=f"{path or '/v1'}{_OPENAI}"), False
