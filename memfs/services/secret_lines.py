"""Secrets in a file by their line: what keeps a text out of the inbox and fails a check."""

from __future__ import annotations

from memfs.model.problem import Problem
from memfs.policy.screening import scan_secrets


def secret_problems(path: str, content: bytes) -> tuple[Problem, ...]:
    """Names the family and the line of each secret, never the value (A81).

    What only may be one is for a person to see in review, and for no check to fail.
    """
    text = content.decode("utf-8", errors="replace")
    return tuple(
        Problem(
            path,
            text.count("\n", 0, finding.start) + 1,
            0,
            "screening.secret",
            f"expected no secret, got what looks like one ({finding.family})",
            "remove it and change it where it is used; nothing of it was stored",
        )
        for finding in scan_secrets(text)
        if not finding.is_held
    )
