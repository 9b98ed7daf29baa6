"""Which reader reads a transcript: by name, or by the look of its first lines."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from memfs.domains.sessions.turns import Transcript
from memfs.errors import DataError, UsageError
from memfs.interop.sources import printable
from memfs.interop.transcripts import claude, codex
from memfs.interop.transcripts.lines import TranscriptLines

AUTO: Final = "auto"
CLIENTS: Final = (AUTO, claude.CLIENT, codex.CLIENT)
_SAMPLE: Final = 30


class UnknownTranscriptError(DataError):
    """A file is no transcript of a client that memfs knows."""

    code = "session.unknown-transcript"


def open_transcript(path: Path, client: str = AUTO) -> Transcript:
    """Returns the reader of a transcript.

    Raises:
        UsageError: There is no such client.
        SourceError: The file cannot be read.
        UnknownTranscriptError: No reader knows its lines.
    """
    if client not in CLIENTS:
        raise UsageError(f"expected a client of {', '.join(CLIENTS)}, got {client!r}")
    values = [line.value for line in islice(TranscriptLines(path).read(), _SAMPLE)]
    if client == claude.CLIENT or (client == AUTO and claude.is_claude(values)):
        return claude.ClaudeTranscript(path)
    if client == codex.CLIENT or (client == AUTO and codex.is_codex(values)):
        return codex.CodexTranscript(path)
    raise UnknownTranscriptError(
        f"expected a transcript of {' or '.join(CLIENTS[1:])}, got something else",
        path=printable(str(path)),
        hint="name the client with --client where the file is one all the same",
    )
