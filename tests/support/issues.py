"""Events of issues, as tests make them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from memfs.app.system import encode_ulid
from memfs.model.issue import EventKind, IssueEvent

MORNING = datetime(2026, 11, 30, 8, 0, 0, tzinfo=UTC)
RUN = "run_01kb8x3v6yq4m9t2r7w5z1c0de"


def event(
    number: int,
    kind: EventKind = EventKind.NOTED,
    *,
    at: datetime | None = None,
    by: str = RUN,
    title: str = "The upload stalls",
    detail: str = "",
) -> IssueEvent:
    """Returns an event; its number gives its id and, unless said otherwise, its minute."""
    return IssueEvent(
        id=f"evt_{encode_ulid((1 << 100) + number)}",
        at=at or MORNING + timedelta(minutes=number),
        kind=kind,
        by=by,
        title=title,
        detail=detail,
    )


_WORDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), include_characters="\n\t"),
    max_size=60,
)
_LOOKS_LIKE_ONE = st.just(
    f"- 2026-11-30T08:00:00Z resolved by {RUN}: x (evt_{encode_ulid(1 << 100)})"
)
TITLES = (
    _WORDS.map(lambda text: " ".join(text.split())).filter(bool)
    | st.just("x (evt_01kb8x3v6yq4m9t2r7w5z1c0de)")
    | st.just("resolved by me: done")
)
DETAILS = st.lists(_WORDS | _LOOKS_LIKE_ONE, max_size=3).map("\n".join)


@st.composite
def events(draw: st.DrawFn, numbers: st.SearchStrategy[int] | None = None) -> IssueEvent:
    """Draws an event."""
    from memfs.formats.issue_log import plain_lines

    return event(
        draw(st.integers(0, 10_000) if numbers is None else numbers),
        draw(st.sampled_from(EventKind)),
        by=draw(st.sampled_from((RUN, "user:ana", "agent:builder", "import:tracker"))),
        title=draw(TITLES),
        detail=plain_lines(draw(DETAILS)),
    )
