"""A frozen type is a dataclass for everything that asks, and defines itself on first use."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, is_dataclass, replace
from typing import Any, ClassVar

import pytest

from memfs.model.frozen import frozen


@frozen
class Named:
    """Fields are named."""

    a: int
    b: str = "x"
    c: list[int] = field(default_factory=list)
    d: int = field(default=0, compare=False, repr=False)
    LIMIT: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """The same, made as usual."""

    a: int
    b: str = "x"
    c: list[int] = field(default_factory=list)
    d: int = field(default=0, compare=False, repr=False)
    LIMIT: ClassVar[int] = 3


@frozen(kw_only=False)
class Placed:
    """Fields have an order."""

    a: int
    b: int = 2

    def __str__(self) -> str:
        return f"{self.a}/{self.b}"


@frozen
class Derived(Named):
    """Adds a field and looks at itself."""

    e: int = 5
    f: int = field(init=False, default=7)

    def __post_init__(self) -> None:
        if self.e < 0:
            raise ValueError("negative")


@frozen
class Own:
    """Compares and shows itself in its own way."""

    a: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "own"


@frozen
class Empty:
    """Has no field."""


def values(of: type[Any]) -> list[Any]:
    return [of(a=1), of(a=1, b="y"), of(a=2, c=[1]), of(a=1, d=9)]


def test_it_says_of_itself_what_a_dataclass_says() -> None:
    types: list[object] = [Named, Usual]
    assert all(map(is_dataclass, types))
    told = [(item.name, item.default, item.kw_only) for item in dataclasses.fields(Named)]
    assert told == [(item.name, item.default, item.kw_only) for item in dataclasses.fields(Usual)]
    for mine, usual in zip(values(Named), values(Usual), strict=True):
        assert asdict(mine) == asdict(usual)
        assert repr(mine).replace("Named", "Usual") == repr(usual)
    assert Named.LIMIT == 3
    first, second = Named(a=1), Named(a=1)
    assert first.c is not second.c


def test_equality_and_hash_are_those_of_a_dataclass() -> None:
    mine, usual = values(Named), values(Usual)
    for left in range(4):
        for right in range(4):
            assert (mine[left] == mine[right]) is (usual[left] == usual[right])
    other: object = Usual(a=1)
    assert Named(a=1) != other
    assert Named(a=1).__eq__(1) is NotImplemented
    assert len({Placed(1), Placed(1, 2), Placed(2)}) == 2
    assert (Empty() == Empty(), hash(Empty()) == hash(Empty())) == (True, True)
    assert (Own(a=1) == Own(a=2), hash(Own(a=3)), repr(Own(a=1))) == (True, 1, "own")


def test_nothing_of_it_can_be_set_or_deleted() -> None:
    value = Named(a=1)
    with pytest.raises(FrozenInstanceError):
        value.a = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        value.z = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del value.a
    assert not hasattr(value, "__dict__")


def test_the_fields_are_named_or_placed_as_the_type_says() -> None:
    with pytest.raises(TypeError):
        Named(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Named()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Named(a=1, z=2)  # type: ignore[call-arg]
    assert str(Placed(3)) == "3/2"
    match Placed(1, 4):
        case Placed(a, b):
            assert (a, b) == (1, 4)
    assert list(inspect.signature(Named.__init__).parameters) == ["self", "a", "b", "c", "d"]


def test_it_is_replaced_copied_and_pickled() -> None:
    value = Named(a=1, b="y", c=[1])
    assert replace(value, a=2) == Named(a=2, b="y", c=[1])
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (again, again is value) == (value, False)


def test_a_derived_type_has_the_fields_of_both_and_checks_itself() -> None:
    value = Derived(a=1, e=6)
    assert (value.a, value.e, value.f) == (1, 6, 7)
    assert value != Named(a=1)
    with pytest.raises(ValueError, match="negative"):
        Derived(a=1, e=-1)


def test_an_own_constructor_can_call_that_of_its_base() -> None:
    class Twice(Placed):
        def __init__(self, a: int) -> None:
            super().__init__(a, a)

    assert (Twice(4).b, Placed(1).b) == (4, 2)
