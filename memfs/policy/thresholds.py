"""A figure on which something is decided, with what it is called and what it is for. Pure.

A table of them stands beside the rules that use them, and the guide has the same rows.
"""

from __future__ import annotations

from memfs.model.frozen import frozen


@frozen
class Threshold:
    """One figure on which something is decided.

    Attributes:
        name: What answers and the guide call it; says the unit where there is one.
        value: The figure.
        says: What is decided on it, in a line.
    """

    name: str
    value: float
    says: str
