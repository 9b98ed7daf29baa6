"""An embedder that knows no meaning: words of the same letters are near, and nothing else.

It needs nothing, is the same everywhere and for ever, and stands for a real one under test. A
word counts by itself and by its runs of three letters, each hashed to a place and a sign.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

NAME: Final = "hashing"
DIMENSION: Final = 64
_WORD: Final = re.compile(r"\w+")
_RUN: Final = 3
_WHOLE_WORD: Final = 2.0


@dataclass(frozen=True, slots=True)
class HashingEmbedder:
    """Makes a vector of a text's words and letters alone."""

    dimension: int = DIMENSION

    @property
    def name(self) -> str:
        """Name of the model."""
        return f"{NAME}:{self.dimension}"

    @property
    def is_remote(self) -> bool:
        """Whether texts leave this machine."""
        return False

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns a vector for each text, in order; zeros for a text without words."""
        return tuple(self._vector(text) for text in texts)

    def _vector(self, text: str) -> tuple[float, ...]:
        parts = [0.0] * self.dimension
        for piece, weight in _pieces(text):
            data = piece.encode("utf-8", "surrogatepass")
            number = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
            parts[(number >> 1) % self.dimension] += weight if number & 1 else -weight
        return tuple(parts)


def _pieces(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, _WHOLE_WORD
        framed = f"^{word}$"
        for at in range(len(framed) - _RUN + 1):
            yield framed[at : at + _RUN], 1.0
