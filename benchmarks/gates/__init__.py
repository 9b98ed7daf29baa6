"""Ten promises of which not one breach is tolerated, each tried on seeded stores (A93).

    python -m benchmarks.gates [--seed 1] [--cases 3] [--only NAME ...]

Everything runs in one process, in throw-away homes, without network. ``OPEN`` is a gate that let
something through; ``FAIL`` one that ended with an error, checked nothing, or whose control showed
that it would not have seen it. One that is not ``SHUT`` makes the exit code 1.
"""
