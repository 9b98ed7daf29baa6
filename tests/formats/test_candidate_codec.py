from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.errors import DataError
from memfs.formats.candidate_codec import decode_candidate, encode_candidate
from memfs.formats.canonical import UnwritableError
from memfs.model.candidate import Candidate, CandidateAction, CandidateState
from memfs.model.decision import Reason
from memfs.model.evidence import Quote
from tests.support.records import STATED, ULID, texts

PLAIN = Candidate(
    id=f"cand_{ULID}e",
    action=CandidateAction.REVISE,
    path="records/note/2026-11/staging-c1c0de.md",
    content=b"---\nkind: note\n---\nPostgreSQL 17.\n",
    base="0" * 40,
    record_id=f"mem_{ULID}e",
    title="Staging runs PostgreSQL 17",
    kind="note",
    origin=STATED,
    reasons=(Reason("handoff.hand-edit", "A hand edit waits for a person."),),
    created=datetime(2026, 11, 29, 10, 12, tzinfo=UTC),
    expires=datetime(2026, 12, 29, 10, 12, tzinfo=UTC),
    is_working_file=True,
)
DIFF = "--- ledger\n+++ proposed\n-PostgreSQL 16.\n+PostgreSQL 17.\n"


def test_a_candidate_is_a_page_for_people() -> None:
    assert encode_candidate(PLAIN, DIFF).decode() == (
        "---\n"
        f"candidate: cand_{ULID}e\n"
        "action: revise\n"
        "state: quarantined\n"
        "path: records/note/2026-11/staging-c1c0de.md\n"
        f'base: "{"0" * 40}"\n'
        f"record: mem_{ULID}e\n"
        "kind: note\n"
        "title: Staging runs PostgreSQL 17\n"
        "origin: {class: user_stated, principal: user:ana, channel: terminal}\n"
        "reasons: [{code: handoff.hand-edit, message: A hand edit waits for a person.}]\n"
        "created: 2026-11-29T10:12:00Z\n"
        "expires: 2026-12-29T10:12:00Z\n"
        "working_file: true\n"
        "---\n"
        "# Staging runs PostgreSQL 17\n"
        "\n"
        "## Why it waits\n"
        "\n"
        "- `handoff.hand-edit` A hand edit waits for a person.\n"
        "\n"
        "## Proposed\n"
        "\n"
        "```markdown\n"
        "---\n"
        "kind: note\n"
        "---\n"
        "PostgreSQL 17.\n"
        "```\n"
        "\n"
        "## Difference from the ledger\n"
        "\n"
        "```diff\n"
        "--- ledger\n"
        "+++ proposed\n"
        "-PostgreSQL 16.\n"
        "+PostgreSQL 17.\n"
        "```\n"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"no final line end",
        b"one\r\ntwo\r\n",
        b"one\r",
        b"```\ncode\n```\n",
        b"`````` six\n",
        b"---\nkind: note\n---\n\n## Proposed\n\n```markdown\nfake\n```\n",
        b"\n```\n\n## Difference from the ledger\n\n```diff\nfake\n```\n",
        b"~~~\nx\n~~~\n",
        "記憶 👩‍💻\u2028".encode(),
    ],
)
def test_the_proposed_bytes_come_back_exactly(content: bytes) -> None:
    candidate = replace(PLAIN, content=content)
    for diff in ("", DIFF, "```\n## Proposed\n```\n"):
        assert decode_candidate(encode_candidate(candidate, diff), "inbox/a.md") == candidate


@settings(max_examples=100, deadline=None)
@given(
    content=texts | st.text(st.sampled_from("`\n\r# -x")),
    diff=texts | st.text(st.sampled_from("`\n# x")),
    title=st.text(st.sampled_from("`#\\*[]<>_ ab"), min_size=1, max_size=12).map(str.strip),
)
def test_no_content_title_or_difference_confuses_the_reader(
    content: str, diff: str, title: str
) -> None:
    if content.startswith("\ufeff"):
        content = content[1:]
    candidate = replace(PLAIN, content=content.encode(), title=title)
    assert decode_candidate(encode_candidate(candidate, diff), "inbox/a.md") == candidate


def test_everything_that_a_candidate_carries_comes_back() -> None:
    candidate = replace(
        PLAIN,
        action=CandidateAction.CONFLICT,
        state=CandidateState.PROPOSED,
        theirs="ab" * 20,
        batch=f"tx_{ULID}e",
        key="a key: with a colon",
        quotes=(Quote(evidence_id=f"ev_{ULID}e", text="two\nlines, [brackets]"),),
        reasons=(Reason("a.b", "one, two: three"), Reason("c.d", "{x}")),
        expires=None,
    )
    assert decode_candidate(encode_candidate(candidate, DIFF), "inbox/a.md") == candidate


def test_a_candidate_to_forget_proposes_no_bytes() -> None:
    candidate = replace(PLAIN, action=CandidateAction.FORGET, content=b"")
    data = encode_candidate(candidate, "```\n-gone\n```\n")
    assert b"The file would be removed.\n" in data
    assert decode_candidate(data, "inbox/a.md") == candidate


def test_what_a_person_changed_between_the_fences_is_what_is_proposed() -> None:
    data = encode_candidate(PLAIN, DIFF).replace(
        b"---\nPostgreSQL 17.\n", b"---\nPostgreSQL 18.\n\n```\nSELECT 1;\n```\n"
    )
    assert decode_candidate(data, "inbox/a.md").content == (
        b"---\nkind: note\n---\nPostgreSQL 18.\n\n```\nSELECT 1;\n```\n"
    )


def test_an_odd_file_name_comes_back_and_reasons_are_folded_to_a_line() -> None:
    candidate = replace(
        PLAIN, path="records/note/a\nb: `c`.md", title="", reasons=(Reason("a.b", "x\n\n## y"),)
    )
    data = encode_candidate(candidate, DIFF)
    assert decode_candidate(data, "inbox/a.md") == replace(
        candidate, reasons=(Reason("a.b", "x ## y"),)
    )


def test_a_candidate_that_would_not_read_back_is_not_written() -> None:
    for changes in ({"id": "cand_1"}, {"base": "a\nb"}, {"created": datetime(2026, 11, 29)}):
        with pytest.raises(UnwritableError):
            encode_candidate(replace(PLAIN, **changes), DIFF)


def test_a_title_cannot_become_markup() -> None:
    candidate = replace(PLAIN, title="<script> [x](y) `z`\n## Proposed\n```")
    page = encode_candidate(candidate, "").decode()
    assert "\n# \\<script\\> \\[x\\](y) \\`z\\` ## Proposed \\`\\`\\`\n" in page


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        (b"candidate: cand_", b"candidate: cant_", "candidate.unreadable", 2),
        (b"action: revise", b"action: praise", "candidate.unreadable", 3),
        (b"state: quarantined\n", b"", "candidate.unreadable", 1),
        (b"```markdown\n", b"", "candidate.fence", 22),
        (b"17.\n```\n", b"17.\n", "candidate.fence", 24),
        (b"kind: note\ntitle", b"kind: note\nkind: fact\ntitle", "yaml.duplicate-key", 9),
        (b"PostgreSQL 17.\n```", b"Post\0gres\n```", "text.nul", 28),
    ],
)
def test_a_broken_candidate_is_refused_with_its_place(
    old: bytes, new: bytes, code: str, line: int
) -> None:
    data = encode_candidate(PLAIN, DIFF)
    assert old in data
    with pytest.raises(DataError) as caught:
        decode_candidate(data.replace(old, new, 1), "inbox/a.md")
    assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.parametrize(
    ("content", "code"), [(b"caf\xe9", "text.encoding"), (b"a\0b", "text.nul")]
)
def test_bytes_that_are_no_text_make_no_candidate(content: bytes, code: str) -> None:
    with pytest.raises(DataError) as caught:
        encode_candidate(replace(PLAIN, content=content), "")
    assert caught.value.code == code
