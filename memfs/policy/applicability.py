"""Under which conditions a procedure holds, and whether circumstances meet them (A68).

A condition is ``name=value``, or a comparison of versions such as ``tool.make>=4``. Whatever
else is written, such as *main is green*, is for people to read: nothing decides on it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from memfs.model.frozen import frozen

_CONDITION: Final = re.compile(
    r"(?P<name>[a-z][a-z0-9_.-]{0,60})\s*(?P<sign>>=|<=|!=|=|>|<)\s*(?P<value>[^\s=<>!]\S{0,119})\Z"
)
_SAID: Final = re.compile(r"[a-z][a-z0-9_.-]{0,60}=[A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,79}\Z")
_PART: Final = re.compile(r"\d+")


@frozen
class Condition:
    """One condition: ``name``, a sign and a value."""

    name: str
    sign: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}{self.sign}{self.value}"

    def is_met(self, actual: str) -> bool:
        """Tells whether the value that was found meets it."""
        match self.sign:
            case "=":
                return actual == self.value
            case "!=":
                return actual != self.value
        have, want = _version(actual), _version(self.value)
        if not have or not want:
            return False
        width = max(len(have), len(want))
        first = (*have, *(0,) * (width - len(have)))
        second = (*want, *(0,) * (width - len(want)))
        match self.sign:
            case ">=":
                return first >= second
            case "<=":
                return first <= second
            case ">":
                return first > second
            case _:
                return first < second


@frozen
class Fit:
    """How circumstances meet conditions.

    Attributes:
        broken: Conditions that they break.
        unsaid: Conditions of which they say nothing.
        prose: Conditions that only a person can judge.
    """

    broken: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether every condition that can be decided is known to be met."""
        return not self.broken and not self.unsaid

    @property
    def names(self) -> str:
        """The names of the conditions that are not known to be met."""
        found = (condition_from(text) for text in (*self.broken, *self.unsaid))
        return ", ".join(dict.fromkeys(item.name for item in found if item is not None))


def condition_from(text: str) -> Condition | None:
    """Reads a condition; ``None`` for words that only a person can judge."""
    found = _CONDITION.match(text.strip())
    if found is None:
        return None
    return Condition(name=found["name"], sign=found["sign"], value=found["value"])


def is_circumstance(text: str) -> bool:
    """Tells whether a text says one circumstance, as a program may: ``name=value``, one word."""
    return _SAID.match(text) is not None


def circumstances(said: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Returns what was said of circumstances, by name; words that say none are left out."""
    found: dict[str, frozenset[str]] = {}
    for text in said:
        condition = condition_from(text)
        if condition is not None and condition.sign == "=":
            found[condition.name] = found.get(condition.name, frozenset()) | {condition.value}
    return found


def fit_of(applies_when: Iterable[str], said: Iterable[str]) -> Fit:
    """Returns how circumstances meet what a procedure asks for.

    Who says two things of one name says nothing that meets a condition on it.
    """
    known = circumstances(said)
    broken: list[str] = []
    unsaid: list[str] = []
    prose: list[str] = []
    for text in applies_when:
        condition = condition_from(text)
        if condition is None:
            prose.append(text)
        elif condition.name not in known:
            unsaid.append(str(condition))
        elif not all(condition.is_met(value) for value in known[condition.name]):
            broken.append(str(condition))
    return Fit(broken=tuple(broken), unsaid=tuple(unsaid), prose=tuple(prose))


def _version(text: str) -> tuple[int, ...]:
    """Returns the numbers of a version; empty where it does not begin with one."""
    plain = text.removeprefix("v")
    if not plain[:1].isdigit() or not plain[:1].isascii():
        return ()
    return tuple(int(part) for part in _PART.findall(plain, 0, 40) if part.isascii())
