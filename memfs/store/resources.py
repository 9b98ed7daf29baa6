"""Templates and hook shims that come with memfs: in the wheel, or beside it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from memfs.errors import MemfsError

_PACKAGED: Final = "_data"


class ResourceMissingError(MemfsError):
    """A file that belongs to this installation is not there."""

    code = "install.incomplete"


@cache
def read_resource(name: str) -> str:
    """Returns the text of a resource such as ``templates/store/memfs.yaml``, read once.

    Raises:
        ResourceMissingError: The installation is incomplete.
    """
    from importlib.resources import files  # slow to import, and only making a store needs it

    packaged = files("memfs").joinpath(_PACKAGED, *name.split("/"))
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    beside = Path(__file__).resolve().parents[2].joinpath(*name.split("/"))
    try:
        return beside.read_text(encoding="utf-8")
    except OSError as error:
        raise ResourceMissingError(
            f"expected {name} in this installation of memfs, found none",
            hint="install memfs again",
        ) from error
