"""What goes over a role's memory: the rules by default, a script, or the model that is configured.

A model is asked only by whoever asks for one, and only where one is configured. One that is
elsewhere is given nothing whose words may not leave this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from memfs.app.environment import model_from
from memfs.errors import UsageError
from memfs.model.authority import Sink
from memfs.model.role_sleep import Rest

if TYPE_CHECKING:
    from memfs.domains.roles.rest.mind import Mind
    from memfs.services.ports import Workspace

RULES: Final = "rules"
MODEL: Final = "model"
MINDS: Final = (RULES, MODEL)


def mind_from(
    workspace: Workspace,
    role: str,
    rest: Rest,
    *,
    script: bytes | None,
    mind: str,
    env: Mapping[str, str],
    on_silence: Callable[[str], None],
) -> Mind:
    """Returns what proposes in a rest.

    Args:
        workspace: The store.
        role: Whose memory.
        rest: Which rest.
        script: Operations to propose, one a line; with it nothing else is asked.
        mind: ``rules`` or ``model``.
        env: Where a model is configured.
        on_silence: Told the code of why, for each question that a model does not answer.

    Raises:
        UsageError: There is no such mind, or no model is configured.
    """
    from memfs.domains.roles.rest.mind import ScriptedMind, proposals_from
    from memfs.domains.roles.rest.rule_mind import RuleMind

    if mind not in MINDS:
        raise UsageError(f"expected a mind of {', '.join(MINDS)}, got {mind!r}")
    if script is not None:
        return ScriptedMind(proposals=proposals_from(script))
    rules = RuleMind(is_settling=rest is Rest.SLEEP)
    return _model(workspace, role, rules, env, on_silence) if mind == MODEL else rules


def _model(
    workspace: Workspace,
    role: str,
    rules: Mind,
    env: Mapping[str, str],
    on_silence: Callable[[str], None],
) -> Mind:
    from memfs.domains.roles.rest.model_mind import INSTRUCTION, SCHEMA, ModelMind
    from memfs.model.role import role_actor
    from memfs.policy.access import may_read
    from memfs.services.gate import access_request

    settings = model_from(env)
    if not settings.is_set:
        raise UsageError("expected a model that is configured, got none", hint="set MEMFS_MODEL")
    from memfs.domains.runs.model import ModelClient, ModelEndpoint, ModelError, Prompt
    from memfs.domains.runs.model_answer import bare_json

    client = ModelClient(ModelEndpoint(name=settings.name, url=settings.url, key=settings.key))
    prompt = Prompt(name="role_sleep", instruction=INSTRUCTION, schema=SCHEMA)
    sink = Sink.AGENT if client.is_here else Sink.REMOTE
    request = access_request(workspace, role_actor(role), sink=sink)

    def ask(question: str) -> str:
        try:
            return bare_json(client.asked(question, prompt))
        except ModelError as error:
            on_silence(error.code)
            return ""

    return ModelMind(
        model=settings.name,
        ask=ask,
        may_see=lambda record: may_read(record, request).is_whole,
        rules=rules,
    )
