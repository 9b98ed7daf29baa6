"""The model of a process as a sleep takes it: asked once, in its own form, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from memfs.app.reflecting import reflect_from
from memfs.domains.distill.rem import INSTRUCTION, SCHEMA, Answer
from memfs.domains.runs.model import TIMEOUT, ModelClient, ModelError

HERE = {"MEMFS_MODEL": "small", "MEMFS_MODEL_URL": "http://127.0.0.1:11434"}
ELSEWHERE = {"MEMFS_MODEL": "large", "MEMFS_MODEL_URL": "https://models.example.invalid"}


@pytest.mark.parametrize("env", [{}, {"MEMFS_MODEL": " "}, {**HERE, "MEMFS": "off"}])
def test_without_a_model_there_is_nothing_to_ask(env: Mapping[str, str]) -> None:
    assert reflect_from(env) is None


def test_what_leaves_the_machine_is_known_beforehand() -> None:
    here, elsewhere = reflect_from(HERE), reflect_from(ELSEWHERE)
    assert here is not None
    assert elsewhere is not None
    assert (here.is_remote, elsewhere.is_remote) == (False, True)
    broken = reflect_from({**ELSEWHERE, "MEMFS_MODEL_URL": "ftp://x"})
    assert broken is not None
    assert broken.is_remote
    assert broken.ask("question").note == "model.bad-address"


def test_a_model_is_asked_in_the_form_of_reflections(monkeypatch: pytest.MonkeyPatch) -> None:
    payloads: list[Any] = []

    def posted(self: ModelClient, url: str, payload: Any, *, is_here: bool) -> bytes:
        payloads.append(payload)
        if len(payloads) == 2:
            raise ModelError(TIMEOUT)
        said = "<think>hmm</think>\n```json\n{}\n```"
        return json.dumps({"choices": [{"message": {"content": said}}]}).encode()

    monkeypatch.setattr(ModelClient, "_posted", posted)
    reflect = reflect_from(ELSEWHERE)
    assert reflect is not None

    assert reflect.ask("question") == Answer(text="{}", model="large")
    assert reflect.ask("question") == Answer(note=TIMEOUT)

    assert payloads[0]["messages"][0]["content"] == INSTRUCTION
    assert payloads[0]["response_format"]["json_schema"]["schema"] == SCHEMA
