"""A record file as plain data: the step that strict decoding and lean reading share."""

from __future__ import annotations

from collections.abc import Mapping

from memfs.formats.fast_matter import read_fast
from memfs.formats.matter import Document, FrontmatterError, parse_fully, split
from memfs.formats.text import decode_text
from memfs.formats.yaml_spans import Place, Position
from memfs.model.frozen import frozen
from memfs.model.values import JsonValue


@frozen
class ParsedFile:
    """A file as plain data, before any field is looked at.

    Attributes:
        values: What the frontmatter or the JSON object says.
        body: Text after the frontmatter; empty for JSON.
        document: The file in its parts; ``None`` for JSON.
        text: The JSON text; empty otherwise.
    """

    values: Mapping[str, JsonValue]
    body: str
    document: Document | None
    text: str = ""


def parse_file(data: bytes, path: str, *, is_draft: bool) -> ParsedFile:
    """Takes a file apart and reads its plain data.

    Args:
        data: The file.
        path: Its extension names the format.
        is_draft: Whether words alone, without frontmatter, are accepted.

    Raises:
        DataError: It is no text, has no proper fences, or is no YAML or JSON that memfs takes.
    """
    if path.endswith(".json"):
        from memfs.formats.json_codec import parse_json

        values = parse_json(data, path=path)
        return ParsedFile(values=values, body="", document=None, text=data.decode("utf-8"))
    text = decode_text(data, path=path)
    try:
        document = split(data, path=path)
    except FrontmatterError as error:
        if not is_draft or error.code != "frontmatter.missing":
            raise
        newline = b"\r\n" if b"\r\n" in data else b"\n"
        document = Document(matter=b"", body=data, newline=newline, has_matter=False)
        return ParsedFile(values={}, body=text, document=document)
    matter = document.matter.decode("utf-8")
    said: Mapping[str, JsonValue] | None = read_fast(matter)
    if said is None:
        said = parse_fully(matter, path=path, line=document.matter_line).values
    return ParsedFile(values=said, body=document.body.decode("utf-8"), document=document)


def places_of(parsed: ParsedFile, path: str) -> Mapping[Place, Position]:
    """Returns the position of every key and list item of a file that has been parsed."""
    document = parsed.document
    if document is None:
        from memfs.formats.json_codec import json_places

        return json_places(parsed.text, path=path)
    matter = document.matter.decode("utf-8")
    return parse_fully(matter, path=path, line=document.matter_line).places
