"""Answers: the same result as text or as JSON, and its exit number."""

from __future__ import annotations

from collections.abc import Sequence

from memfs.cli.invocation import Invocation
from memfs.cli.terminal import say, write_json
from memfs.cli.text import write_result
from memfs.cli.values import result_value
from memfs.model.result import Result


def respond(invocation: Invocation, result: Result) -> int:
    """Writes one result and returns its exit number."""
    if invocation.is_json:
        write_json(result_value(result))
    else:
        write_result(result)
    return result.exit_status


def respond_all(invocation: Invocation, results: Sequence[Result], *, nothing: str) -> int:
    """Writes several results and returns the highest exit number.

    Args:
        invocation: How to answer.
        results: In the order in which they were carried out.
        nothing: What to say when there is no result.
    """
    if invocation.is_json:
        write_json([result_value(result) for result in results])
    elif not results:
        say(nothing)
    else:
        for result in results:
            write_result(result)
    return max((result.exit_status for result in results), default=0)


def say_trouble(code: str) -> None:
    """Says that the global store did not answer, where that is so."""
    if code:
        say(f"the global store did not answer ({code})")
