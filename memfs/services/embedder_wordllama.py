"""The offline embedder: static vectors of words that come with the package ``wordllama``.

Nothing is ever fetched: the package's own folder is given as its cache, which holds the weights
and the tokenizer, and downloads are off. It is imported when the first text is embedded, and what
it does to logging on import is undone.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.errors import IndexUnavailableError

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference

NAME: Final = "wordllama"
MODEL: Final = "l2_supercat"
DIMENSION: Final = 256


@dataclass(frozen=True, slots=True)
class WordLlamaEmbedder:
    """Makes vectors on this machine, without a network and without a server."""

    @property
    def name(self) -> str:
        """Name of the model and version of the package that holds it."""
        return f"{NAME}:{MODEL}-{DIMENSION}@{_version()}"

    @property
    def is_remote(self) -> bool:
        """Whether texts leave this machine."""
        return False

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns a vector for each text, in order; zeros for a text without words.

        Raises:
            IndexUnavailableError: The package is not installed, or has no weights.
        """
        if not texts:
            return ()
        model = _model()
        # A lone surrogate is no text to the tokenizer; an empty text has no direction.
        plain = [text.encode("utf-8", "replace").decode("utf-8").strip() for text in texts]
        worded = [text for text in plain if text]
        rows = iter(model.embed(worded, norm=False, return_np=False) if worded else [])
        nothing = (0.0,) * DIMENSION
        return tuple(_finite(next(rows)) if text else nothing for text in plain)


def _finite(row: Sequence[float]) -> tuple[float, ...]:
    values = tuple(map(float, row))
    return values if all(map(math.isfinite, values)) else (0.0,) * len(values)


@lru_cache(maxsize=1)
def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "none"


@lru_cache(maxsize=1)
def _model() -> WordLlamaInference:
    """Loads the weights once a process."""
    try:
        with _logging_left_alone():
            import wordllama

            return wordllama.WordLlama.load(
                config=MODEL,
                cache_dir=Path(wordllama.__file__).parent,
                dim=DIMENSION,
                disable_download=True,
            )
    except ImportError as error:
        raise IndexUnavailableError(
            "wordllama is not installed",
            hint="install memfs-ledger[vectors]",
            code="embedder.not-installed",
        ) from error
    except (OSError, ValueError, AttributeError) as error:
        raise IndexUnavailableError(
            "wordllama has no weights here",
            hint="install memfs-ledger[vectors] again",
            code="embedder.no-weights",
        ) from error


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Keeps an import from turning the messages of every library on."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
