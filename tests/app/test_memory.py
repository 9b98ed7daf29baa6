"""Memory is put together of parts; none of them stands in for another by accident."""

from __future__ import annotations

from collections import Counter

from memfs.app.memory import Memory


def test_no_part_of_memory_says_again_what_another_part_says() -> None:
    told = Counter(
        name
        for part in Memory.__mro__[1:-1]
        for name, value in vars(part).items()
        if not name.startswith("__") and name != "_abc_impl"
        if not getattr(value, "__isabstractmethod__", False)
    )

    assert [name for name, times in told.items() if times > 1] == []
