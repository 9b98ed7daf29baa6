"""Takes away what holds each gate, to show that the gate would have seen it missing.

    python -m benchmarks.gates --sabotage

One guard of memfs is replaced by one that lets everything pass, for as long as a gate is tried.
A gate that still finds nothing tries nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import Final
from unittest.mock import patch

from memfs.app.container import Memory
from memfs.model.authority import Sensitivity
from memfs.model.decision import Verdict
from memfs.model.result import Result, ResultStatus
from memfs.policy.action_gate import ActionDecision


def _forgetful() -> Callable[..., Result]:
    """Returns a ``remember`` that says that it keeps everything, and does not."""
    kept = Memory.remember

    def remember(memory: Memory, text: str, **options: object) -> Result:
        if text.endswith("load 1"):
            return Result(action="remember", target="", status=ResultStatus.DONE, message="")
        return kept(memory, text, **options)  # type: ignore[arg-type]

    return remember


_GUARDS: Final[Mapping[str, Mapping[str, Callable[[], object]]]] = MappingProxyType(
    {
        "withdrawn": {
            "memfs.policy.access._check_status": lambda: lambda *_: None,
            # Two more look for what is withdrawn and served, and end the operation with an error.
            "memfs.services.door.read_back": lambda: lambda *_: None,
            "memfs.services.aftermath.check_nothing_found": lambda: lambda _: None,
        },
        "scope": {"memfs.policy.access._default_denial": lambda: lambda *_: None},
        "authority": {
            "memfs.policy.authority.derive_sensitivity": lambda: lambda _: Sensitivity.NORMAL
        },
        "review": {"memfs.policy.admission.tightened_verdict": lambda: lambda *_: Verdict.ACTIVATE},
        "secrets": {"memfs.policy.screening.scan_secrets": lambda: lambda *_, **__: ()},
        "durability": {"memfs.app.container.Memory.remember": _forgetful},
        "resurrection": {"memfs.services.admission_view.is_barred": lambda: lambda *_, **__: False},
        "branch": {
            "memfs.model.execution_tree.way_to": lambda: (
                lambda head, before, lineage: tuple(lineage)
            )
        },
        "action": {
            "memfs.services.act.may_act": lambda: lambda *_, **__: ActionDecision(allowed=True)
        },
        "off": {
            "memfs.policy.access.may_serve": lambda: lambda *_: True,
            "memfs.services.modes.may_serve": lambda: lambda *_: True,
        },
    }
)
"""By name of the gate: where its guard stands, and what makes one that guards nothing."""


@contextmanager
def sabotaged(name: str) -> Iterator[None]:
    """Takes the guard of a gate away until it is left.

    Raises:
        KeyError: No guard of such a gate is known.
    """
    with ExitStack() as stack:
        for place, make in _GUARDS[name].items():
            stack.enter_context(patch(place, make()))
        yield
