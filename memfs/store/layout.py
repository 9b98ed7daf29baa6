"""Where things stand in a store: folders, file names and what is ignored.

Pure. A file name is chosen once, from the title at creation, and never changes. Month folders
are split before they grow wide, since Git rewrites a folder's tree at each change in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from memfs.model.digests import content_digest
from memfs.model.ids import short_id
from memfs.model.kinds import Filing, KindSpec
from memfs.model.record import Record
from memfs.model.role import PROFILE_FOLDERS, SUMMARY_FOLDER, profile_of, role_of
from memfs.store.paths import component_problem

STORE_FOLDER: Final = ".memfs"
SETTINGS_PATH: Final = "memfs.yaml"
README_PATH: Final = "README.md"
INBOX_FOLDER: Final = "inbox"
VIEWS_FOLDER: Final = "views"
HOLD_FOLDER: Final = "holds"
TOMBSTONE_FOLDER: Final = "tombstones"
RECORDS_FOLDER: Final = "records"
PROJECTIONS: Final = ("MEMORY.md", "core.md")
GIT_FILES: Final = (".gitattributes", ".gitignore")
STATIC_FILES: Final = (README_PATH, SETTINGS_PATH, *GIT_FILES)
RECORD_FOLDERS: Final = (
    RECORDS_FOLDER,
    "runs",
    "issues",
    "sessions",
    "graph",
    "timeline",
    "roles",
    "work",
    "intentions",
    "evidence",
    "excerpts",
    "receipts",
    "grants",
    "conflicts",
    "pollution",
    "publications",
    "outcomes",
)
MANAGED_FOLDERS: Final = (*RECORD_FOLDERS, TOMBSTONE_FOLDER, HOLD_FOLDER)
ENVELOPE_FOLDERS: Final = ("evidence/", "outcomes/")
EDGE_FOLDER: Final = "graph/edges/"
UNTRACKED_FOLDERS: Final = (INBOX_FOLDER, VIEWS_FOLDER)
RECORD_EXTENSIONS: Final = (".md", ".json")

MAX_SLUG_BYTES: Final = 60
SHARD_FILES: Final = 500

_LATIN: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"}
)
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_SHARD: Final = re.compile(r"(?P<month>\d{4}-\d{2})(?:\.(?P<number>[1-9]\d{0,5}))?\Z")


def slugify(title: str) -> str:
    """Returns a readable file name part of at most 60 UTF-8 bytes.

    Latin letters lose their accents, letters and digits of other scripts stay as they are (in
    NFC), everything else becomes a hyphen. A title without a letter or digit gives ``untitled``.
    """
    if title.isascii():
        return _fit("-".join(_ASCII_WORD.findall(title.lower()))) or "untitled"
    letters: list[str] = []
    folded = unicodedata.normalize("NFD", title.casefold().translate(_LATIN))
    base_is_ascii = True
    for letter in folded:
        category = unicodedata.category(letter)
        if category[0] == "M":
            if not base_is_ascii:
                letters.append(letter)
        elif category[0] in "LN":
            base_is_ascii = letter.isascii()
            letters.append(letter)
        elif category != "Cf":
            base_is_ascii = True
            letters.append("-")
    words = unicodedata.normalize("NFC", "".join(letters)).split("-")
    return _fit("-".join(word for word in words if word)) or "untitled"


def record_path(kind: KindSpec, record: Record, month: str, shard_sizes: Mapping[str, int]) -> str:
    """Returns the path of a new record.

    Args:
        kind: The record's kind.
        record: With its id.
        month: The month it is filed under, as ``2026-11``.
        shard_sizes: Files in each month folder of the kind, by folder name.
    """
    if kind.filing is Filing.BY_SUBJECT:
        return f"{subject_prefix(kind, record.subject)}{short_id(record.id)}{kind.extension}"
    if kind.filing is Filing.BY_ROLE:
        return f"{_folder_of_role(kind, record)}/{record.id[-2:]}/{_name(kind, record)}"
    folder = record.id[-2:] if kind.filing is Filing.BY_ID else shard_for(month, shard_sizes)
    return f"{kind.folder}/{folder}/{_name(kind, record)}"


def _name(kind: KindSpec, record: Record) -> str:
    is_nameless = kind.is_named_by_id or not (record.title or record.body)
    if is_nameless or record.sensitivity.is_opaque:
        return f"{record.id}{kind.extension}"
    words = _words_of_key(kind, record) or record.title or record.body[:200]
    return f"{slugify(words)}-{short_id(record.id)}{kind.extension}"


def role_folder(role: str) -> str:
    """Returns the folder of a role: its name where every system can have that for a folder.

    Any other name, and one that differs only in case, has a digest behind it.
    """
    slug = slugify(role)
    if slug == role and component_problem(slug) is None:
        return slug
    digest = content_digest("role", role.encode("utf-8", "surrogateescape"))
    return f"{slug}_{digest.rpartition(':')[2][:8]}"


def _folder_of_role(kind: KindSpec, record: Record) -> str:
    profile = profile_of(record)
    part = SUMMARY_FOLDER if profile is None else PROFILE_FOLDERS[profile]
    return f"{kind.folder}/{role_folder(role_of(record))}/{part}"


def filed_at(kind: KindSpec, record: Record) -> datetime | None:
    """Returns the instant whose month a new record is filed under; ``None`` where none is said."""
    if kind.filing is Filing.BY_EVENT_MONTH and record.event_time is not None:
        return record.event_time
    return record.observed


def subject_prefix(kind: KindSpec, subject: str) -> str:
    """Returns what the path of every record about ``subject``, an id, begins with."""
    return f"{kind.folder}/{subject[-2:]}/{subject}-"


def _words_of_key(kind: KindSpec, record: Record) -> str:
    """Returns what the id was made of, where the whole place has to follow from the id."""
    return record.subject if kind.filing is Filing.BY_ID else ""


def shard_for(month: str, shard_sizes: Mapping[str, int]) -> str:
    """Returns the month folder to write to: ``2026-11``, or ``2026-11.2`` when that is full."""
    last = 1
    for name in shard_sizes:
        found = _SHARD.match(name)
        if found is not None and found["month"] == month:
            last = max(last, int(found["number"] or 1))
    shard = month if last == 1 else f"{month}.{last}"
    if shard_sizes.get(shard, 0) < SHARD_FILES:
        return shard
    return f"{month}.{last + 1}"


def is_managed(path: str) -> bool:
    """Whether the store tracks what stands at ``path``: a static file or one in its folders."""
    return path in STATIC_FILES or (path.partition("/")[0] in MANAGED_FOLDERS and "/" in path)


def is_record_path(path: str) -> bool:
    """Whether a file at ``path`` is read as a record."""
    top, separator, rest = path.partition("/")
    return bool(separator) and top in RECORD_FOLDERS and rest.endswith(RECORD_EXTENSIONS)


def is_envelope_path(path: str) -> bool:
    """Whether a file at ``path`` is an envelope: it says nothing that anybody searches for."""
    return path.startswith(ENVELOPE_FOLDERS) and path.endswith(".json")


def is_edge_path(path: str) -> bool:
    """Whether a file at ``path`` is an edge: it is walked along, and nobody searches for it."""
    return path.startswith(EDGE_FOLDER) and path.endswith(".json")


def is_reserved_path(path: str) -> bool:
    """Whether only memfs writes ``path``: holds, tombstones and what steers Git."""
    return path in GIT_FILES or path.partition("/")[0] in (HOLD_FOLDER, TOMBSTONE_FOLDER)


def is_untracked(path: str) -> bool:
    """Whether ``path`` is ignored by Git and never enters history: inbox and projections."""
    return path in PROJECTIONS or path.partition("/")[0] in UNTRACKED_FOLDERS


def hold_path(path: str) -> str:
    """Returns where the hold of a record at ``path`` is kept."""
    digest = content_digest("hold", path.encode("utf-8", "surrogateescape"))
    return f"{HOLD_FOLDER}/{digest.rpartition(':')[2][:24]}.json"


def tombstone_path(identifier: str) -> str:
    """Returns where the tombstone of an id is kept.

    In a folder of its own for each end of an id: thousands of them must not make the next
    operation slow (see :data:`SHARD_FILES`).
    """
    return f"{TOMBSTONE_FOLDER}/{identifier[-2:]}/{identifier}.json"


def is_tombstone_path(path: str) -> bool:
    """Whether a file at ``path`` is a tombstone; older stores keep them in one folder."""
    top, _, rest = path.partition("/")
    return top == TOMBSTONE_FOLDER and rest.endswith(".json")


def _fit(slug: str) -> str:
    """Cuts a slug to size, at a hyphen where one is near the end, never inside a letter."""
    if len(slug.encode()) <= MAX_SLUG_BYTES:
        return slug
    short = slug[: MAX_SLUG_BYTES if slug.isascii() else _cut_of(slug)]
    at_word = short.rpartition("-")[0]
    return at_word if len(at_word) * 2 > len(short) else short.rstrip("-")


def _cut_of(slug: str) -> int:
    """Returns how many letters fit, a letter and its marks counted as one."""
    size, cut = 0, 0
    for index, letter in enumerate(slug):
        size += len(letter.encode())
        if size > MAX_SLUG_BYTES:
            break
        if index + 1 < len(slug) and not unicodedata.combining(slug[index + 1]):
            cut = index + 1
    return cut
