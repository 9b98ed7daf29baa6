"""The suites of ``benchmarks.governance``: one module a suite, each with ``run``."""
