"""Why an installer leaves a file alone: it says where and what to do, and writes nothing."""

from __future__ import annotations

from memfs.errors import DataError


class InstallRefusedError(DataError):
    """A file is not in a state in which memfs may change it."""

    code = "install.refused"


class NotReadableAsError(InstallRefusedError):
    """A configuration file does not parse as what its client expects."""

    code = "install.does-not-parse"


class NameTakenError(InstallRefusedError):
    """Something else has the name that memfs's entry would have."""

    code = "install.name-taken"


class BlockDamagedError(InstallRefusedError):
    """The marks around memfs's block do not pair up."""

    code = "install.block-damaged"


def position(text: str, offset: int) -> tuple[int, int]:
    """Returns the 1-based line and column of an offset."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1
