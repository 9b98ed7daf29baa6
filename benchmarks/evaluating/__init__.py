"""The parts of ``benchmarks.evaluation``: histories, modes, the reader, rows and the plan."""
