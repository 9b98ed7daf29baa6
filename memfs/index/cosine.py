"""Compares one vector with many, exactly: in plain Python, or with numpy where many are there.

numpy is asked for only where it is installed and where it pays; both give the same order but for
the last bits of a float.
"""

from __future__ import annotations

import math
from array import array
from base64 import b64decode
from collections.abc import Sequence
from importlib.util import find_spec
from operator import mul
from typing import Final

from memfs.index.vector_lines import FLOAT_BYTES, HEAD, vector_chars

WORTH_NUMPY: Final = 500
"""Fewer vectors than this are compared before numpy is imported."""


def unit(vector: Sequence[float]) -> array[float]:
    """Returns a vector of length 1 in the same direction; zeros where it has none.

    What is no number makes the vector nothing: it is near to nothing then.
    """
    length = math.sqrt(math.fsum(part * part for part in vector))
    if not math.isfinite(length) or length <= 0:
        return array("f", bytes(FLOAT_BYTES * len(vector)))
    return array("f", (part / length for part in vector))


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns the cosine of two vectors of length 1; 0 for vectors of different spaces.

    What is no number in one of them makes the answer none: ``nan``.
    """
    if len(first) != len(second):
        return 0.0
    found: float = sum(map(mul, first, second))
    return max(-1.0, min(1.0, found)) if math.isfinite(found) else math.nan


def many_cosines(
    lines: bytes, width: int, vector: Sequence[float], dimension: int
) -> list[float] | None:
    """Returns the cosine of each line of a file of points, in order, by numpy.

    Returns:
        ``None`` where numpy is not there, or the lines are not what they should be: then each
        is to be looked at by itself.
    """
    count = len(lines) // width if width else 0
    if count < WORTH_NUMPY or find_spec("numpy") is None:
        return None
    import numpy

    begin, size = len(HEAD), vector_chars(dimension)
    if begin + size >= width:
        return None
    rows = numpy.frombuffer(lines, dtype=numpy.uint8, count=count * width).reshape(count, width)
    try:
        # What is no base64 is left out by the decoder: the length tells.
        data = b64decode(rows[:, begin : begin + size].tobytes())
    except ValueError:
        return None
    length = size // 4 * 3
    if len(data) != count * length:
        return None
    floats = numpy.frombuffer(data, dtype=numpy.uint8).reshape(count, length)
    floats = numpy.ascontiguousarray(floats[:, : dimension * FLOAT_BYTES])
    matrix = floats.view("<f4")
    with numpy.errstate(all="ignore"):
        found: list[float] = (matrix @ numpy.asarray(vector, dtype=numpy.float32)).tolist()
    return found
