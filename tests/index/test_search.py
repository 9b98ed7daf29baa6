"""One contract for both indexes: the stored one and the one made on the spot."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.index import postings
from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch
from memfs.index.documents import document_from, gate_of, seconds
from memfs.index.generations import Generations
from memfs.index.memory_index import MemoryIndex
from memfs.index.port import (
    DEFAULT_SCORING,
    FieldWeights,
    IndexQuery,
    RecordIndex,
    ScoringSettings,
)
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.settings import RankSettings
from tests.support.recall_stores import ask, bodies, note, path_of, stored, turn

Make = Callable[[Sequence[Record]], RecordIndex]
WORDS = ["red", "green", "blue", "cat", "dog", "yesterday", "2023"]
_FOLDERS = itertools.count()


def memory_index(records: Sequence[Record]) -> MemoryIndex:
    return MemoryIndex([stored(r) for r in records], ledger="l", analyzer=Analyzer())


def generations_in(folder: Path) -> Generations:
    return Generations(folder, store_id="s", settings="x", analyzer=Analyzer())


def whoosh_index(folder: Path, records: Sequence[Record]) -> RecordIndex:
    generations = generations_in(folder / f"index-{next(_FOLDERS)}")
    analyzer = generations.analyzer
    batch = Batch(document_from(stored(r), analyzer, FieldWeights()) for r in records)
    with generations.locked(1.0):
        generations.rebuild(batch, "l")
    return generations.open()


def overlaid_index(folder: Path, records: Sequence[Record]) -> RecordIndex:
    """Half of the records on disk, some of them outdated, the rest laid over it."""
    old = [replace(r, body="something else altogether\n") for r in records[::2]]
    generations = generations_in(folder / f"index-{next(_FOLDERS)}")
    analyzer = generations.analyzer
    weights = FieldWeights()
    with generations.locked(1.0):
        generations.rebuild(Batch(document_from(stored(r), analyzer, weights) for r in old), "k")
    added = [document_from(stored(r), analyzer, weights) for r in records]
    return generations.open().overlaid(removed=[path_of(r) for r in old], added=added, ledger="l")


@pytest.fixture(params=["memory", "whoosh", "overlaid"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    makers: dict[str, Make] = {
        "memory": memory_index,
        "whoosh": lambda records: whoosh_index(tmp_path, records),
        "overlaid": lambda records: overlaid_index(tmp_path, records),
    }
    return makers[request.param]


def test_the_record_that_says_it_best_comes_first(make: Make) -> None:
    records = [
        note(1, "The staging database is wiped every Sunday"),
        note(2, "The database of the shop lives in Frankfurt"),
        note(3, "Lunch is at noon"),
    ]

    hits = ask(make(records), "When is the staging database wiped?")

    assert bodies(hits, records)[0] == "The staging database is wiped every Sunday"
    assert "Lunch is at noon" not in bodies(hits, records)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("Die Straße nach Köln", "KOLN"),
        ("Мы переехали в Берлин", "в Берлине"),
        ("東京タワーの近くに住んでいる", "東京"),
        ("서울에서 만나요", "서울"),
        ("اجتماع الفريق يوم الأحد", "الاحد"),
        ("اجتماع الفريق يوم الأحد", "فريق"),
        ("cafe\u0301 au lait", "café"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("ฉันรักกรุงเทพ", "กรุงเทพ"),
        ("use readRecord here", "read record"),
    ],
)
def test_every_script_is_found(make: Make, body: str, question: str) -> None:
    records = [note(1, "nothing of the kind"), note(2, body)]

    assert bodies(ask(make(records), question), records) == [body]


def test_words_beyond_the_first_pages_are_found(make: Make) -> None:
    records = [note(1, "filler words here " * 3000 + "zanzibar"), note(2, "short")]

    assert [hit.path for hit in ask(make(records), "zanzibar")] == [path_of(records[0])]


def test_equal_scores_are_ordered_by_path(make: Make) -> None:
    records = [note(number, "the very same words") for number in range(20)]
    shuffled = random.Random(3).sample(records, len(records))

    hits = ask(make(shuffled), "same words", limit=5)

    assert [hit.path for hit in hits] == sorted(map(path_of, records))[:5]


def test_what_is_behind_a_closed_gate_is_not_found_and_changes_no_score(make: Make) -> None:
    mine = [note(1, "blue whale"), note(2, "blue car and red car")]
    other = [
        note(number, "blue blue whale " * number, scope=Scope.parse("agent:other"))
        for number in range(3, 9)
    ]
    closed = gate_of(other[0])

    hits = ask(make([*mine, *other]), "blue whale", is_open=lambda gate: gate != closed)

    assert hits == ask(make(mine), "blue whale")
    assert len(hits) == 2


def test_sessions_that_are_hidden_as_a_whole_break_no_question(make: Make) -> None:
    hidden = turn(1, "s", 1, "bo", "the secret pineapple", scope=Scope.parse("agent:other"))
    closed = gate_of(hidden)

    hits = ask(make([hidden, note(2, "a pineapple")]), "pineapple", is_open=lambda g: g != closed)

    assert [hit.path for hit in hits] == [path_of(note(2, "a pineapple"))]


def test_a_hidden_neighbour_lends_no_words(make: Make) -> None:
    hidden = turn(2, "s", 2, "bo", "the secret pineapple", scope=Scope.parse("agent:other"))
    records = [turn(1, "s", 1, "al", "shall we"), hidden, turn(3, "s", 3, "al", "all right")]
    closed = gate_of(hidden)

    assert ask(make(records), "pineapple", is_open=lambda gate: gate != closed) == []
    assert len(ask(make(records), "pineapple")) == 3


def test_all_keys_asked_for_must_be_there(make: Make) -> None:
    records = [
        note(1, "alpha one", tags=("x", "y"), subject="s"),
        note(2, "alpha two", tags=("x",)),
        note(3, "alpha three", tags=("y",), subject="s"),
    ]
    index = make(records)

    assert bodies(ask(index, "alpha", keys=("tag:x", "tag:y")), records) == ["alpha one"]
    assert len(ask(index, "alpha", keys=("subject:s",))) == 2
    assert ask(index, "alpha", keys=("tag:z",)) == []
    assert bodies(ask(index, "", keys=("tag:x",)), records) == ["alpha one", "alpha two"]


def test_time_bounds_are_half_open(make: Make) -> None:
    days = [datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 3)]
    records = [note(n, f"alpha {n}", event_time=day) for n, day in enumerate(days)]
    index = make(records)

    hits = ask(index, "alpha", since=seconds(days[1]), until=seconds(days[2]))

    assert bodies(hits, records) == ["alpha 1"]


def test_only_what_is_valid_at_the_moment_is_found(make: Make) -> None:
    before, start, end = (datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 3))
    records = [note(1, "alpha one", valid_from=start, valid_until=end), note(2, "alpha two")]
    index = make(records)

    assert len(ask(index, "alpha", valid_at=seconds(start))) == 2
    assert bodies(ask(index, "alpha", valid_at=seconds(before)), records) == ["alpha two"]
    assert bodies(ask(index, "alpha", valid_at=seconds(end)), records) == ["alpha two"]


def test_the_speaker_asked_about_comes_first(make: Make) -> None:
    records = [
        turn(1, "a", 1, "Bo", "I adore my old guitar and play guitar daily"),
        turn(2, "b", 1, "Al", "I bought a guitar"),
    ]
    index = make(records)

    assert bodies(ask(index, "Which guitar does Al have?"), records)[0] == "I bought a guitar"
    own = ask(index, "Which guitar do I have?", asker=("al",))
    assert bodies(own, records)[0] == "I bought a guitar"


def test_neighbours_of_the_same_session_lend_their_words(make: Make) -> None:
    records = [
        turn(1, "a", 1, "Al", "What is your favourite dessert?"),
        turn(2, "a", 2, "Bo", "Tiramisu, since ever"),
        turn(3, "b", 1, "Al", "Good morning"),
    ]

    found = bodies(ask(make(records), "favourite dessert"), records)

    assert found == ["What is your favourite dessert?", "Tiramisu, since ever"]


def test_a_question_for_a_day_finds_what_was_said_of_it_days_later(make: Make) -> None:
    said = datetime(2023, 5, 12, tzinfo=UTC)
    records = [
        note(1, "We met the mayor last Friday", event_time=said),
        note(2, "We met the mayor", event_time=datetime(2023, 8, 1, tzinfo=UTC)),
    ]

    hits = ask(make(records), "Who was met on 5 May 2023?")

    assert bodies(hits, records)[0] == "We met the mayor last Friday"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("We run PostgreSQL 16", "postgres version"),
        ("We run Postgres 16", "which PostgreSQL"),
        ("The configuration lives in etc", "where is the config"),
        ("See the config in etc", "configuration file"),
    ],
)
def test_words_that_begin_alike_stand_in_for_a_word_nobody_wrote(
    make: Make, body: str, question: str
) -> None:
    records = [note(1, "nothing of the kind"), note(2, body), note(3, "con post")]

    assert bodies(ask(make(records), question), records) == [body]


def test_the_word_itself_wins_over_words_that_begin_like_it(make: Make) -> None:
    records = [note(1, "the configuration of alpha"), note(2, "the config of beta")]

    assert bodies(ask(make(records), "config"), records) == ["the config of beta"]


def test_a_question_for_a_day_alone_is_answered(make: Make) -> None:
    records = [
        note(1, "We met the mayor", event_time=datetime(2023, 5, 5, tzinfo=UTC)),
        note(2, "We met the king", event_time=datetime(2023, 8, 1, tzinfo=UTC)),
    ]

    (hit, *_) = hits = ask(make(records), "what about 5 May 2023?")

    assert bodies(hits, records) == ["We met the mayor"]
    assert hit.coverage == 1.0


MADE = datetime(2023, 5, 5, tzinfo=UTC)


@pytest.mark.parametrize("question", ["5 May 2023", "5 May", "May 2023", "last Friday"])
def test_a_day_finds_what_was_recorded_on_it_where_nothing_says_another(
    make: Make, question: str
) -> None:
    records = [
        note(1, "We changed the policy to two", observed=MADE),
        note(2, "We changed the policy to three", observed=datetime(2023, 3, 4, tzinfo=UTC)),
        note(3, "We changed the policy to four", valid_from=MADE),
        note(4, "In 1999 we changed the policy", observed=MADE),
        note(5, "We change the policy on 2 June", observed=MADE),
        note(
            6,
            "We changed the policy to six",
            observed=MADE,
            event_time=datetime(2022, 3, 1, tzinfo=UTC),
        ),
    ]

    hits = ask(
        make(records), f"What of the policy did we change on {question}?", asked="2023-05-12"
    )

    assert {hit.path for hit in hits if hit.parts["dates"]} == {
        path_of(records[number]) for number in (0, 2, 3)
    }
    assert hits[0].parts["dates"]


def test_the_day_that_is_told_of_is_worth_more_than_the_day_it_was_recorded(make: Make) -> None:
    records = [
        note(1, "We changed the policy", observed=MADE),
        *(note(number, "We changed the policy", event_time=MADE) for number in range(2, 9)),
        note(9, "We changed the policy on 5 May", observed=datetime(2023, 6, 1, tzinfo=UTC)),
        *(note(number, "nothing of the kind") for number in range(10, 30)),
    ]

    hits = ask(make(records), "How did we change the policy on 5 May 2023?")

    *told, made = [hit for hit in hits if hit.parts["dates"]]
    assert made.path == path_of(records[0])
    assert min(hit.score for hit in told) > made.score
    assert min(hit.coverage for hit in told) > made.coverage
    off = replace(DEFAULT_SCORING, recorded=0.0)
    query = IndexQuery(text="the policy on 5 May 2023", is_open=lambda _: True)
    dated = [hit.path for hit in make(records).search(query, off) if hit.parts["dates"]]
    assert len(dated) == 8
    assert path_of(records[0]) not in dated


def test_having_been_recorded_on_a_day_is_no_answer_to_something_else(make: Make) -> None:
    records = [note(number, f"The policy is {number}", observed=MADE) for number in range(1, 5)]

    hits = ask(make(records), "Who won the match on 5 May 2023?")

    assert hits
    assert all(hit.coverage < RankSettings().floor for hit in hits)
    (*_, alone) = ask(make(records), "what about 5 May 2023?")
    assert alone.coverage >= RankSettings().floor


def test_a_speaker_alone_is_a_topic(make: Make) -> None:
    records = [turn(1, "a", 1, "Bo", "Al is a friend"), turn(2, "b", 1, "Cy", "Nothing here")]

    assert bodies(ask(make([*records, turn(3, "c", 1, "Al", "Hi")]), "who is Al?"), records) == [
        "Al is a friend"
    ]


def test_a_record_named_by_its_id_comes_first(make: Make) -> None:
    records = [note(1, "alpha beta gamma"), note(2, "alpha beta gamma delta")]

    hits = ask(make(records), f"alpha beta gamma, see {records[1].id}")

    assert bodies(hits, records)[0] == "alpha beta gamma delta"
    assert bodies(ask(make(records), records[0].id), records) == ["alpha beta gamma"]


def test_a_whole_prompt_is_a_bounded_question(make: Make) -> None:
    records = [note(1, "alpha"), note(2, "beta")]
    prompt = "alpha " + " ".join(f"word{n}" for n in range(200_000))

    assert bodies(ask(make(records), prompt), records) == ["alpha"]


def test_lone_surrogates_and_controls_in_a_question_are_no_error(make: Make) -> None:
    records = [note(1, "alpha")]

    assert bodies(ask(make(records), "\udcff alpha \ud800\x00\x1b"), records) == ["alpha"]


def test_query_text_is_words_and_never_a_language(make: Make) -> None:
    records = [note(1, "alpha"), note(2, "beta", scope=Scope.parse("agent:other"))]
    closed = gate_of(records[1])
    index = make(records)

    for text in (
        "beta OR scope:*",
        "*",
        "?",
        "text:beta",
        "alpha) OR (beta",
        '"',
        "NOT alpha",
        "\0",
    ):
        hits = ask(index, text, is_open=lambda gate: gate != closed)
        assert set(bodies(hits, records)) <= {"alpha"}


def test_pruning_changes_no_answer(make: Make) -> None:
    rng = random.Random(5)
    words = [f"w{n}" for n in range(60)]
    cumulative = [60 - n for n in range(60)]
    records = [
        note(n, " ".join(rng.choices(words, cumulative, k=rng.randint(3, 40)))) for n in range(700)
    ]
    index = make(records)

    for _ in range(25):
        text = " ".join(rng.choices(words, cumulative, k=6))
        every = ask(index, text, limit=10_000)
        assert ask(index, text, limit=7) == every[:7]


def test_each_signal_can_be_switched_off() -> None:
    records = [
        turn(1, "a", 1, "Al", "What is your favourite dessert?"),
        turn(2, "a", 2, "Bo", "Tiramisu since 2019", event_time=datetime(2023, 5, 1, tzinfo=UTC)),
    ]
    index = memory_index(records)
    off = ScoringSettings(
        kindred=0.0, neighbour=0.0, session=0.0, speaker=1.0, dates=0.0, states_time=1.0
    )
    query = "When did Bo get the favourite dessert in May 2023?"

    def parts(scoring: ScoringSettings) -> dict[str, float]:
        hits = index.search(IndexQuery(text=query, is_open=lambda _: True), scoring)
        return {name: sum(hit.parts[name] for hit in hits) for name in hits[0].parts}

    assert ask(index, "tiramis")
    assert index.search(IndexQuery(text="tiramis", is_open=lambda _: True), off) == []
    assert all(value > 0 for value in parts(DEFAULT_SCORING).values())
    assert parts(off) == {
        "own": parts(DEFAULT_SCORING)["own"],
        "neighbour": 0,
        "session": 0,
        "dates": 0,
    }


def test_what_a_question_reads_does_not_grow_with_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    read = postings._File.read

    def counted(file: postings._File, offset: int, size: int) -> bytes:
        sizes.append(size)
        return read(file, offset, size)

    def bytes_read(count: int) -> int:
        records = [note(n, f"common words and w{n}") for n in range(count)]
        index = whoosh_index(tmp_path, records)
        sizes.clear()
        assert len(ask(index, "w7")) == 1
        return sum(sizes)

    monkeypatch.setattr(postings._File, "read", counted)

    assert bytes_read(2000) <= 2 * bytes_read(50)


_records = st.lists(
    st.tuples(
        st.integers(0, 11),
        st.lists(st.sampled_from(WORDS), max_size=6),
        st.sampled_from(["", "s", "t"]),
    ),
    max_size=12,
)


@given(st.lists(_records, min_size=1, max_size=6))
def test_an_index_changed_step_by_step_equals_one_made_at_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[tuple[int, list[str], str]]]
) -> None:
    folder = tmp_path_factory.mktemp("steps")
    generations = generations_in(folder / "index")
    weights = FieldWeights()
    state: dict[str, Record] = {}
    with generations.locked(1.0):
        generations.rebuild(Batch(), "c0")
        for number, step in enumerate(steps):
            before = set(state)
            for key, words, session in step:
                body = " ".join(words) or "-"
                record = turn(key, session, key, "al", body) if session else note(key, body)
                if words or session:
                    state[path_of(record)] = record
                else:
                    state.pop(path_of(record), None)
            touched = {path_of(note(key, "-")) for key, _, _ in step}
            added = [
                document_from(stored(state[path]), generations.analyzer, weights)
                for path in sorted(touched & set(state))
            ]
            generations.change(
                generations.open(), removed=touched & before, added=added, ledger=f"c{number + 1}"
            )

    changed = generations.open()
    anew = whoosh_index(folder, list(state.values()))
    assert changed.ledger == f"c{len(steps)}"
    assert sorted(changed.contents()) == sorted(
        (s.path, s.blob) for s in map(stored, state.values())
    )
    for text in ("red cat", "green", "dog yesterday 2023", "blue al"):
        assert ask(changed, text) == ask(anew, text)


def test_a_word_said_too_often_for_a_byte_counts_the_same_wherever_it_is_kept(
    tmp_path: Path,
) -> None:
    # The first list of counts fits in bytes, the one that comes behind it does not.
    few = [note(n, "red " * (n % 3 + 1) + "cat") for n in range(9)]
    many = note(20, "red " * 300 + "dog")
    generations = generations_in(tmp_path / "index")
    documents = [document_from(stored(r), generations.analyzer, FieldWeights()) for r in few]
    late = document_from(stored(many), generations.analyzer, FieldWeights())
    with generations.locked(1.0):
        generations.rebuild(Batch(documents), "k")
        overlaid = generations.open().overlaid(removed=(), added=[late], ledger="l")
        generations.change(generations.open(), removed=(), added=[late], ledger="l")

    expected = ask(memory_index([*few, many]), "red cat")

    assert len(expected) == 10
    assert ask(overlaid, "red cat") == expected
    assert ask(generations.open(), "red cat") == expected
    assert ask(whoosh_index(tmp_path, [*few, many]), "red cat") == expected
