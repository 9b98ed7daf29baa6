"""The variables of memfs: one function resolves each, and nothing else reads them.

A value that is no id or no plain name counts as absent: an environment is inherited by
everything, and a mistake in it must not keep anybody from working.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import RUN_PREFIX, is_id
from memfs.model.lineage import Lineage

RUN_ID: Final = "MEMFS_RUN_ID"
PARENT_RUN_ID: Final = "MEMFS_PARENT_RUN_ID"
SESSION_ID: Final = "MEMFS_SESSION_ID"
AGENT: Final = "MEMFS_AGENT"
MODEL: Final = "MEMFS_MODEL"
MODEL_URL: Final = "MEMFS_MODEL_URL"
API_KEY: Final = "MEMFS_API_KEY"
EMBEDDINGS: Final = "MEMFS_EMBEDDINGS"
VECTORS_URL: Final = "MEMFS_VECTORS_URL"
VECTORS_KEY: Final = "MEMFS_VECTORS_KEY"

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+/-]{0,199}\Z")


@frozen
class ModelSettings:
    """The model that was configured for this process; none where ``name`` is empty.

    Attributes:
        name: Name of the model.
        url: Base address of an OpenAI-compatible or Ollama endpoint.
        key: Secret for it; in no message, log or record.
    """

    name: str = ""
    url: str = ""
    key: str = field(default="", repr=False)

    @property
    def is_set(self) -> bool:
        """Whether a model may be called at all (C12)."""
        return bool(self.name)


def lineage_from(env: Mapping[str, str]) -> Lineage:
    """Returns where this process stands among runs."""
    return Lineage(
        run=_run(env, RUN_ID),
        parent=_run(env, PARENT_RUN_ID),
        session=plain_name(env.get(SESSION_ID, "")),
        agent=plain_name(env.get(AGENT, "")),
    )


def lineage_variables(lineage: Lineage) -> dict[str, str]:
    """Returns what a child process is given so that it finds its lineage (C8)."""
    named = {
        RUN_ID: lineage.run,
        PARENT_RUN_ID: lineage.parent,
        SESSION_ID: lineage.session,
        AGENT: lineage.agent,
    }
    return {name: value for name, value in named.items() if value}


def model_from(env: Mapping[str, str]) -> ModelSettings:
    """Returns the model that is configured; none by default."""
    return ModelSettings(
        name=env.get(MODEL, "").strip(),
        url=env.get(MODEL_URL, "").strip(),
        key=env.get(API_KEY, "").strip(),
    )


def embedder_from(env: Mapping[str, str]) -> str:
    """Returns the name of the embedder that is configured; empty for none."""
    return env.get(EMBEDDINGS, "").strip()


def vectors_from(env: Mapping[str, str]) -> tuple[str, str]:
    """Returns address of and secret for the server that holds vectors; empty for files."""
    return env.get(VECTORS_URL, "").strip(), env.get(VECTORS_KEY, "").strip()


def plain_name(text: str) -> str:
    """Returns a name that can stand in a file and a trailer; empty for anything else."""
    stripped = text.strip()
    return stripped if _NAME.match(stripped) else ""


def _run(env: Mapping[str, str], name: str) -> str:
    value = env.get(name, "").strip()
    return value if is_id(value, RUN_PREFIX) else ""
