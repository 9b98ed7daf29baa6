"""The model of this process as a sleep takes it: none unless one is configured (C12, O40)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memfs.app.environment import model_from
from memfs.app.switches import is_switched_off

if TYPE_CHECKING:
    from memfs.domains.distill.rem import Reflect


def reflect_from(env: Mapping[str, str]) -> Reflect | None:
    """Returns what asks the configured model; ``None`` where there is none, or memory is off."""
    settings = model_from(env)
    if not settings.is_set or is_switched_off(env):
        return None
    from memfs.domains.distill.rem import INSTRUCTION, SCHEMA, Answer, Reflect
    from memfs.domains.runs.model import ModelClient, ModelEndpoint, ModelError, Prompt
    from memfs.domains.runs.model_answer import bare_json

    client = ModelClient(ModelEndpoint(name=settings.name, url=settings.url, key=settings.key))
    prompt = Prompt(name="reflections", instruction=INSTRUCTION, schema=SCHEMA)

    def ask(question: str) -> Answer:
        try:
            said = client.asked(question, prompt)
        except ModelError as error:
            return Answer(note=error.code)
        return Answer(text=bare_json(said), model=settings.name)

    return Reflect(ask=ask, is_remote=not client.is_here)
