"""What git-filter-repo asks about each blob, commit and tag while it rewrites a history.

Loaded by its file name in the process of git-filter-repo, whose interpreter need not know
memfs: only the standard library is imported. The rules arrive through an inherited descriptor
and never lie in a file that has a name, so that a rewrite that dies leaves nothing to find.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

DESCRIPTOR = "MEMFS_SCRUB_RULES"
REPLACEMENT = b"(erased)"
_OID = re.compile(rb"\b[0-9a-f]{40}\b")
_RECORD = re.compile(rb"^Memfs-Record: ([a-z]+_[0-9a-z]{26})", re.MULTILINE)


class Scrub:
    """The rules of one rewrite: blobs and paths that go, and phrases that are replaced."""

    def __init__(
        self,
        *,
        blobs: frozenset[bytes],
        paths: frozenset[bytes],
        records: frozenset[bytes],
        phrases: tuple[bytes, ...],
    ) -> None:
        self.blobs = blobs
        self.paths = paths
        self.records = records
        longest_first = sorted(set(phrases), key=len, reverse=True)
        joined = b"|".join(re.escape(phrase) for phrase in longest_first)
        self._phrases = re.compile(joined) if joined else None
        self._renamed: dict[bytes, bytes] = {}

    def text(self, data: bytes) -> bytes:
        """Returns ``data`` with every phrase replaced."""
        return self._phrases.sub(REPLACEMENT, data) if self._phrases is not None else data

    def blob(self, blob: Any) -> None:
        """Drops a blob of an erased record, and replaces phrases in any other.

        A blob that names another one by its id (a hold does) follows that one's new id.
        """
        if blob.original_id in self.blobs:
            blob.skip()
            return
        data = self.text(blob.data)
        if self._renamed:
            data = _OID.sub(lambda found: self._renamed.get(found[0], found[0]), data)
        if data != blob.data:
            header = b"blob %d\0" % len(data)
            digest = hashlib.sha1(header + data, usedforsecurity=False).hexdigest()
            self._renamed[blob.original_id] = digest.encode("ascii")
            blob.data = data

    def filename(self, name: bytes) -> bytes | None:
        """Returns the path under which a file is kept; ``None`` leaves it out."""
        return None if name in self.paths else self.name(name)

    def name(self, name: bytes) -> bytes:
        """Returns a file name with every phrase replaced by a plain word."""
        return self._phrases.sub(b"erased", name) if self._phrases is not None else name

    def commit(self, commit: Any) -> None:
        """Makes the message of an operation on an erased record opaque; replaces elsewhere."""
        message = self.text(commit.message)
        named = [item for item in _RECORD.findall(message) if item in self.records]
        if named:
            subject, newline, rest = message.partition(b"\n")
            word = subject.partition(b":")[0]
            message = b"%s: %s%s%s" % (word, named[0], newline, rest)
        commit.message = message
        commit.author_name = self.text(commit.author_name)
        commit.author_email = self.text(commit.author_email)
        commit.committer_name = self.text(commit.committer_name)
        commit.committer_email = self.text(commit.committer_email)

    def tag(self, tag: Any) -> None:
        """Replaces phrases in the message and the name of who made a tag."""
        tag.message = self.text(tag.message)
        if tag.tagger_name is not None:
            tag.tagger_name = self.text(tag.tagger_name)
            tag.tagger_email = self.text(tag.tagger_email)


def encode_rules(
    *, blobs: list[str], paths: list[bytes], records: list[str], phrases: list[bytes]
) -> bytes:
    """Returns rules as :func:`load` reads them."""
    return json.dumps(
        {
            "blobs": blobs,
            "records": records,
            "paths": [path.hex() for path in paths],
            "phrases": [phrase.hex() for phrase in phrases],
        }
    ).encode("ascii")


def load() -> Scrub:
    """Reads the rules from the descriptor that the environment names."""
    descriptor = int(os.environ[DESCRIPTOR])
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        rules = json.load(stream)
    return Scrub(
        blobs=frozenset(item.encode("ascii") for item in rules["blobs"]),
        records=frozenset(item.encode("ascii") for item in rules["records"]),
        paths=frozenset(bytes.fromhex(item) for item in rules["paths"]),
        phrases=tuple(bytes.fromhex(item) for item in rules["phrases"]),
    )


_LOAD = """\
import sys, os
scrub = sys.modules.get("memfs_scrub_rules")
if scrub is None:
    import importlib.util
    spec = importlib.util.spec_from_file_location("memfs_scrub", os.environ["MEMFS_SCRUB_CODE"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    scrub = sys.modules["memfs_scrub_rules"] = module.load()
"""
CODE = "MEMFS_SCRUB_CODE"
CALLBACKS = (
    ("--blob-callback", _LOAD + "scrub.blob(blob)\n"),
    ("--commit-callback", _LOAD + "scrub.commit(commit)\n"),
    ("--tag-callback", _LOAD + "scrub.tag(tag)\n"),
    ("--filename-callback", _LOAD + "return scrub.filename(filename)\n"),
)
"""Options of git-filter-repo and the bodies of the functions that it makes of them."""
