"""The clock, the ids and the places of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS: Final = 80
_STEP_BITS: Final = 64


class SystemClock:
    """The real time, in UTC."""

    def now(self) -> datetime:
        """Returns the present, without fractions of a second."""
        return datetime.now(UTC).replace(microsecond=0)


class SystemIds:
    """Random ULIDs that ascend within a process, even inside one millisecond."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def new_id(self, prefix: str) -> str:
        """Returns a new id such as ``mem_01k…``."""
        with self._lock:
            millis = int(datetime.now(UTC).timestamp() * 1000)
            number = (millis << _RANDOM_BITS) | _random(_RANDOM_BITS)
            # Within one millisecond a random step keeps the end of the id, which people type,
            # as unlike its neighbour's as ever.
            self._last = max(number, self._last + 1 + _random(_STEP_BITS))
            return f"{prefix}_{encode_ulid(self._last)}"


def _random(bits: int) -> int:
    """Returns a random number of so many bits, a multiple of eight, from the system's source."""
    return int.from_bytes(os.urandom(bits // 8), "big")


def encode_ulid(number: int) -> str:
    """Writes a 128-bit number as 26 lower-case Crockford digits."""
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def cache_root(env: Mapping[str, str]) -> Path:
    """Returns the folder for caches: ``$MEMFS_CACHE``, or memfs's own in the user's cache."""
    explicit = env.get("MEMFS_CACHE")
    if explicit:
        return Path(explicit)
    xdg = env.get("XDG_CACHE_HOME")
    if xdg and os.name == "posix":
        return Path(xdg) / "memfs"
    from platformdirs import user_cache_path

    return user_cache_path("memfs", appauthor=False)
