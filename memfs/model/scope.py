"""Scopes: the namespace that a record belongs to (A30). Never changed in place."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@+-]{0,127}\Z")


class ScopeKind(StrEnum):
    """The seven kinds of namespace."""

    GLOBAL = "global"
    PROJECT = "project"
    THREAD = "thread"
    TASK = "task"
    AGENT = "agent"
    SESSION = "session"
    TEAM = "team"


@frozen(kw_only=False)
class Scope:
    """One namespace, written ``project:datasync``; ``global`` alone has no name."""

    kind: ScopeKind
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else str(self.kind)

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Parses ``kind:name``.

        Raises:
            ValueError: Unknown kind, a missing name, or a name with odd characters.
        """
        kind_text, _, name = text.partition(":")
        try:
            kind = ScopeKind(kind_text)
        except ValueError:
            choices = ", ".join(ScopeKind)
            raise ValueError(f"expected a scope kind of {choices}, got {kind_text!r}") from None
        if kind is ScopeKind.GLOBAL:
            if name:
                raise ValueError("the scope 'global' takes no name")
            return cls(kind)
        if not _NAME.match(name):
            raise ValueError(f"expected {kind}:NAME with a plain name, got {text!r}")
        return cls(kind, name)


GLOBAL_SCOPE: Final = Scope(ScopeKind.GLOBAL)
