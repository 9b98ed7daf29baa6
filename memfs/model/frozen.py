"""Frozen types that cost little to define: what ``dataclass`` does, at a tenth of its time.

A cold process defines more than a hundred types before it answers a question. ``dataclass``
compiles half a dozen functions for each, which is a third of what a prompt hook may cost; most
of those types are then never made. Here a type is made of what all such types have in common,
and its ``__init__`` is compiled when the first one is made.

The result is a frozen, slotted dataclass for everything that asks: ``fields``, ``replace``,
``asdict``, pattern matching, equality, hashing, copying and pickling.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from operator import attrgetter
from typing import Any, Final, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_FACTORY: Final = object()
"""Stands in a signature for a default that is made anew for each instance."""


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, kw_only: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[T] | None = None, /, *, kw_only: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Makes a frozen, slotted dataclass of a class; its fields are named at a call by default.

    Args:
        cls: The class, with annotated fields.
        kw_only: Fields have to be named at a call; with ``False`` their order counts.
    """
    if cls is None:
        return lambda defined: _frozen(defined, kw_only=kw_only)
    return _frozen(cls, kw_only=kw_only)


def _frozen(cls: type[T], *, kw_only: bool) -> type[T]:
    made = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    own = vars(made)
    shared = {
        "__init__": _first_init,
        "__setattr__": _refuse_setting,
        "__delattr__": _refuse_deleting,
        "__getstate__": _state,
        "__setstate__": _set_state,
        "__repr__": _repr,
        **_comparing(tuple(item.name for item in _fields(made) if item.compare)),
    }
    for name, function in shared.items():
        # What the class says itself stays; Python writes None where it only says how to compare.
        if own.get(name) is None:
            setattr(made, name, function)
    return made


def _fields(cls: type) -> tuple[Field[Any], ...]:
    return dataclasses.fields(cls)


def _comparing(names: tuple[str, ...]) -> Mapping[str, object]:
    """Returns equality and hash over some fields; instances of other types never equal."""
    parts: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> Any:
        if other.__class__ is self.__class__:
            return parts(self) == parts(other)
        return NotImplemented

    def digest(self: Any) -> int:
        return hash((parts(self),))

    return {"__eq__": equal, "__hash__": digest}


def _first_init(self: Any, *args: Any, **values: Any) -> None:
    """Compiles the constructor of the type, puts it in its place and runs it."""
    cls = next(base for base in type(self).__mro__ if vars(base).get("__init__") is _first_init)
    compiled = _compiled_init(cls)
    setattr(cls, "__init__", compiled)  # noqa: B010  mypy takes an assignment for unsound
    compiled(self, *args, **values)


def _compiled_init(cls: type) -> Callable[..., None]:
    known: dict[str, object] = {"MISSING": _FACTORY}
    positional: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for item in _fields(cls):
        known[f"set_{item.name}"] = _setter(cls, item.name)
        if not item.init:
            lines += _lines_without_argument(item, known)
            continue
        (named if item.kw_only else positional).append(_parameter(item, known))
        value = item.name
        if item.default_factory is not MISSING:
            value = f"make_{item.name}() if {item.name} is MISSING else {item.name}"
        lines.append(f" set_{item.name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    star = ["*", *named] if named else []
    header = f"def __init__(self, {', '.join([*positional, *star])}):"
    exec("\n".join((header, *(lines or [" pass"]))), known)  # names of fields, and nothing else
    made: Callable[..., None] = known["__init__"]  # type: ignore[assignment]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _setter(cls: type, name: str) -> Callable[[object, object], None]:
    """Returns what sets a slot past the refusal to set anything."""
    for base in cls.__mro__:
        slot = vars(base).get(name)
        if slot is not None and hasattr(slot, "__set__"):
            setter: Callable[[object, object], None] = slot.__set__
            return setter
    return lambda self, value: object.__setattr__(self, name, value)


def _parameter(item: Field[Any], known: dict[str, object]) -> str:
    if item.default_factory is not MISSING:
        known[f"make_{item.name}"] = item.default_factory
        return f"{item.name}=MISSING"
    if item.default is not MISSING:
        known[f"default_{item.name}"] = item.default
        return f"{item.name}=default_{item.name}"
    return item.name


def _lines_without_argument(item: Field[Any], known: dict[str, object]) -> list[str]:
    if item.default_factory is not MISSING:
        known[f"make_{item.name}"] = item.default_factory
        return [f" set_{item.name}(self, make_{item.name}())"]
    if item.default is not MISSING:
        known[f"default_{item.name}"] = item.default
        return [f" set_{item.name}(self, default_{item.name})"]
    return []


# What all of them have in common ----------------------------------------------------------------


def _repr(self: Any) -> str:
    shown = (item.name for item in dataclasses.fields(self) if item.repr)
    parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({parts})"


def _refuse_setting(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> Mapping[str, object]:
    return {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}


def _set_state(self: object, state: Mapping[str, object]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)
