"""Authority, sensitivity and sinks: three ordered or set-valued labels of a claim.

Authority says what a claim may be *believed* for. Nothing here, and no field of a
record, can grant an action (A2). Derivation takes the minimum authority, the maximum
sensitivity and the intersection of sinks; the functions are in ``memfs.policy.authority``.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


class Authority(IntEnum):
    """What a claim may be believed for, weakest first."""

    NONE = 0
    UNVERIFIED = 1
    REMOTE = 2
    WORKSPACE = 3
    OBSERVED = 4
    USER = 5

    @property
    def label(self) -> str:
        """The lower-case name used in files."""
        return self.name.lower()

    @classmethod
    def from_label(cls, label: str) -> Authority:
        """Reads the lower-case name.

        Raises:
            ValueError: There is no such authority.
        """
        try:
            return cls[label.upper()]
        except KeyError:
            choices = ", ".join(item.label for item in cls)
            raise ValueError(f"expected an authority of {choices}, got {label!r}") from None


class Sensitivity(IntEnum):
    """How closely a record is kept, most open first."""

    PUBLIC = 0
    NORMAL = 1
    CONFIDENTIAL = 2
    SECRET = 3
    SEALED = 4

    @property
    def label(self) -> str:
        """The lower-case name used in files."""
        return self.name.lower()

    @property
    def is_opaque(self) -> bool:
        """Whether file name and commit subject must not tell the title."""
        return self >= Sensitivity.CONFIDENTIAL

    @classmethod
    def from_label(cls, label: str) -> Sensitivity:
        """Reads the lower-case name.

        Raises:
            ValueError: There is no such sensitivity.
        """
        try:
            return cls[label.upper()]
        except KeyError:
            choices = ", ".join(item.label for item in cls)
            raise ValueError(f"expected a sensitivity of {choices}, got {label!r}") from None


class Sink(StrEnum):
    """Where a record's text may go."""

    PERSON = "person"
    """Shown to a person on this machine."""
    AGENT = "agent"
    """Packed into an agent's context."""
    EXPORT = "export"
    """Written to a file that leaves the store."""
    REMOTE = "remote"
    """Sent to a remote service: model, embedder, protocol client elsewhere."""


DEFAULT_SINKS: Final = frozenset(Sink)
