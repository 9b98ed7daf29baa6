"""The client of a language model: one call a run, only where one is configured (C12, C14).

It speaks to an OpenAI-compatible endpoint or to Ollama. Whatever goes wrong is a code in the
answer and nothing else: no text of the endpoint, no address and no key is in it, nothing is
tried twice, and the run is recorded as it would have been. Of memory, nothing is sent with a run.
"""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from memfs.domains.runs.distilling import Distilled
from memfs.domains.runs.model_answer import (
    ANSWER_BYTES,
    INSTRUCTION,
    SCHEMA,
    BadAnswerError,
    outcome_from_answer,
    question_from,
)
from memfs.domains.runs.outcome import RunFacts
from memfs.model.run import RunOutcome
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from httpx2 import BaseTransport

DEFAULT_URL: Final = "http://127.0.0.1:11434"
"""Ollama on this machine: a model without an address never leaves it."""
DEFAULT_TIMEOUT_S: Final = 60.0
_CONNECT_S: Final = 5.0
_OLLAMA_PORT: Final = 11434
_RESPONSE_BYTES: Final = 4 * ANSWER_BYTES
_CHAT: Final = "/chat/completions"

UNREACHABLE: Final = "model.unreachable"
TIMEOUT: Final = "model.timeout"
REFUSED: Final = "model.refused"
BAD_ANSWER: Final = "model.bad-answer"
BAD_ADDRESS: Final = "model.bad-address"
NOT_INSTALLED: Final = "model.not-installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """Where a model is asked.

    Attributes:
        name: Name of the model, as the endpoint knows it.
        url: Base address; Ollama on this machine when empty.
        key: Secret for it; sent over TLS or within this machine alone.
        timeout_s: After so many seconds the run is recorded without it.
    """

    name: str
    url: str = ""
    key: str = field(default="", repr=False)
    timeout_s: float = DEFAULT_TIMEOUT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is asked for.

    Attributes:
        name: Name of the answer's form, in plain letters.
        instruction: What it is to do with the question.
        schema: JSON Schema of the answer, for endpoints that can hold a model to one.
    """

    name: str
    instruction: str
    schema: dict[str, JsonValue]


RUN_PROMPT: Final = Prompt(name="run_outcome", instruction=INSTRUCTION, schema=SCHEMA)


class ModelError(Exception):
    """Asking did not work; the code says how and nothing says more."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ModelClient:
    """Asks one model about one run after the other; raises nothing."""

    def __init__(
        self,
        endpoint: ModelEndpoint,
        *,
        transport: BaseTransport | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._transport = transport
        self._monotonic = monotonic

    def __call__(self, facts: RunFacts, extracted: RunOutcome) -> Distilled:
        """Returns what the model adds to a run, or the code of why it adds nothing."""
        try:
            answer = self.asked(question_from(facts, extracted), RUN_PROMPT)
            outcome = outcome_from_answer(answer)
        except ModelError as error:
            return Distilled(note=error.code)
        except BadAnswerError:
            return Distilled(note=BAD_ANSWER)
        return Distilled(outcome=outcome, model=self._endpoint.name)

    @property
    def is_here(self) -> bool:
        """Whether the model is on this machine."""
        try:
            return _is_here(_address(self._endpoint.url)[0])
        except ModelError:
            return False

    def asked(self, question: str, prompt: Prompt) -> str:
        """Asks once and returns what the model said, undecoded.

        Raises:
            ModelError: It did not answer, or not in the form of its protocol.
        """
        address, is_ollama = _address(self._endpoint.url)
        if self._endpoint.key and address.scheme != "https" and not _is_here(address):
            raise ModelError(BAD_ADDRESS)
        payload = _payload(self._endpoint.name, question, prompt, is_ollama=is_ollama)
        content = self._posted(urlunsplit(address), payload, is_here=_is_here(address))
        try:
            value = json.loads(content)
            said = value["message"] if is_ollama else value["choices"][0]["message"]
            text = said["content"]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise ModelError(BAD_ANSWER) from error
        if not isinstance(text, str):
            raise ModelError(BAD_ANSWER)
        return text

    def _posted(self, url: str, payload: JsonValue, *, is_here: bool) -> bytes:
        """Posts once, follows nothing, and gives up when the time is over."""
        try:
            import httpx2
        except ImportError as error:
            raise ModelError(NOT_INSTALLED) from error
        limit = self._endpoint.timeout_s
        deadline = self._monotonic() + limit
        headers = {"accept-encoding": "identity"}
        if self._endpoint.key:
            headers["authorization"] = f"Bearer {self._endpoint.key}"
        try:
            with (
                httpx2.Client(
                    timeout=httpx2.Timeout(limit, connect=min(_CONNECT_S, limit)),
                    transport=self._transport,
                    follow_redirects=False,
                    trust_env=not is_here,
                ) as client,
                client.stream("POST", url, json=payload, headers=headers) as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    raise ModelError(f"{REFUSED} ({response.status_code})")
                return self._read(response.iter_bytes(), deadline)
        except httpx2.TimeoutException as error:
            raise ModelError(TIMEOUT) from error
        except httpx2.InvalidURL as error:
            raise ModelError(BAD_ADDRESS) from error
        except (httpx2.HTTPError, OSError, ValueError) as error:
            raise ModelError(UNREACHABLE) from error

    def _read(self, chunks: Iterator[bytes], deadline: float) -> bytes:
        """Reads a bounded answer; one that comes in drops is given up in time as well."""
        content = bytearray()
        for chunk in chunks:
            content += chunk
            if len(content) > _RESPONSE_BYTES:
                raise ModelError(BAD_ANSWER)
            if self._monotonic() > deadline:
                raise ModelError(TIMEOUT)
        return bytes(content)


def _payload(name: str, question: str, prompt: Prompt, *, is_ollama: bool) -> dict[str, JsonValue]:
    payload: dict[str, JsonValue] = {
        "model": name,
        "messages": [
            {"role": "system", "content": prompt.instruction},
            {"role": "user", "content": question},
        ],
        "stream": False,
    }
    if is_ollama:
        return payload | {"format": prompt.schema, "options": {"temperature": 0}}
    schema: JsonValue = {"name": prompt.name, "strict": True, "schema": prompt.schema}
    return payload | {"response_format": {"type": "json_schema", "json_schema": schema}}


def _address(url: str) -> tuple[SplitResult, bool]:
    """Returns where to post, and whether Ollama's own protocol is spoken there.

    An address that says nothing of either is Ollama's on its port and OpenAI-compatible on any
    other. A full address is taken as it is.
    """
    try:
        parts = urlsplit(url or DEFAULT_URL)
        port = parts.port
    except ValueError as error:
        raise ModelError(BAD_ADDRESS) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(BAD_ADDRESS)
    path = parts.path.rstrip("/")
    if path.endswith(("/api/chat", _CHAT)):
        return parts._replace(path=path), path.endswith("/api/chat")
    if path == "/api" or (not path and port == _OLLAMA_PORT):
        return parts._replace(path="/api/chat"), True
    return parts._replace(path=f"{path or '/v1'}{_CHAT}"), False


def _is_here(address: SplitResult) -> bool:
    """Whether an address is on this machine."""
    host = address.hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
