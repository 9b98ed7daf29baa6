"""Names of things: when two ways to write a name mean the same entity (O10, E17).

Exact after folding, or not at all: ``Data-Sync``, ``data sync`` and ``“data_sync”`` are one name,
``C``, ``C++`` and ``C#`` are three. Similarity only ever proposes. What was written is stored as
it was written; only comparison and ids see the key.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from memfs.model.ids import ENTITY_PREFIX, derived_id
from memfs.model.scope import Scope
from memfs.model.text import normalise_text

_QUOTES: Final = str.maketrans({**dict.fromkeys('"“”„‟«»‹›`', None), **dict.fromkeys("‘’‚‛´", "'")})
_ENDING: Final = re.compile(r"[.,;:!?…]+(?=\s|\Z)")
_JOINED: Final = re.compile(r"(?<=[^\W_])[-_\u2010-\u2015]+(?=[^\W_])")
_TECHNICAL: Final = re.compile(r"[^\s.][./@:#=]+[^\s./@:#=]|\A[./@~]+[^\s./]")
"""A path, an address, a version, a symbol: there a hyphen and an underscore are two things."""
_JOINTS: Final = re.compile(r"[-_\u2010-\u2015]+")
_SUFFIX: Final = re.compile(r"(?<=[^\s/])\.(?:md|markdown)\Z")
_PRESENTATION: Final = frozenset("\ufe0e\ufe0f")
_ROUNDS: Final = 8


def entity_key(name: str) -> str:
    """Returns what every way to write one name has in common; empty for no name at all.

    The key of a key is the key itself.
    """
    if not name:
        return ""
    key = normalise_text(name)
    if not key.isascii():
        key = normalise_text("".join(char for char in key if not _is_unseen(char)))
    for _ in range(_ROUNDS):
        folded = _folded(key)
        if folded in ("", key):
            return key
        key = folded
    return key


def file_key(name: str) -> str:
    """Returns what every way to write the name of a file of notes has in common.

    As ``entity_key``, and a hyphen, an underscore and a space are one wherever they stand.
    """
    if not name:
        return ""
    key = entity_key(name)
    joined = _JOINTS.sub(" ", _SUFFIX.sub("", key))
    return key if joined == key else entity_key(joined)


def _folded(key: str) -> str:
    key = key.replace("\\", "/").translate(_QUOTES).strip("' ")
    key = _ENDING.sub("", key)
    if _TECHNICAL.search(key) is None:
        key = _JOINED.sub(" ", key)
    return normalise_text(key)


def _is_unseen(char: str) -> bool:
    return char in _PRESENTATION or unicodedata.category(char) in ("Cf", "Cc")


def entity_id(scope: Scope | str, name: str) -> str:
    """Returns the id of an entity: the same on every machine, whoever meets it first (E17)."""
    return derived_id(ENTITY_PREFIX, str(scope), entity_key(name))
