from __future__ import annotations

import unicodedata

import pytest

from memfs.index.analysis import AnalysisSettings, Analyzer


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("What did Caroline's children buy?", ("carolin", "child", "bui")),
        ("they went, she has gone, he goes", ("go",)),
        ("FastAPI", ("fastapi", "fast", "api")),
        ("read_record()", ("read", "record")),
        ("Привет, мир", ("привет", "мир")),
        ("東京タワー", ("東京", "京タ", "タワ", "ワー")),
        ("猫", ("猫",)),
        ("العربية", ("عربية",)),
        ("книгами и книга", ("книг", "и")),
        ("हिन्दी भाषा", ("हिन्दी", "भाषा")),
        ("how would you do that", ()),
        ("", ()),
    ],
)
def test_a_question_becomes_terms(text: str, terms: tuple[str, ...]) -> None:
    assert Analyzer().terms(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", unicodedata.normalize("NFD", "café")),
        ("café", "cafe"),
        ("ÅNGSTRÖM", "ångström"),
        ("Straße", "STRASSE"),
        ("ﬁle", "file"),
        ("ＡＢＣ", "abc"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("ёлка", unicodedata.normalize("NFD", "ёлка")),
        ("don’t", "don't"),
        ("한국어", unicodedata.normalize("NFD", "한국어")),
    ],
)
def test_spellings_of_one_word_are_one_term(one: str, other: str) -> None:
    analyzer = Analyzer()

    assert analyzer.terms(one) == analyzer.terms(other)


def test_vowel_signs_of_indic_scripts_tell_words_apart() -> None:
    analyzer = Analyzer()

    assert analyzer.terms("कल") != analyzer.terms("काल")


def test_a_single_character_finds_a_longer_run() -> None:
    counts: dict[str, float] = {}
    analyzer = Analyzer()
    analyzer.add_counts(counts, analyzer.words("黒猫が寝る"), 1.0)

    assert set(analyzer.terms("猫")) <= counts.keys()
    assert set(analyzer.terms("黒猫")) <= counts.keys()


def test_every_step_can_be_switched_off() -> None:
    plain = Analyzer(
        AnalysisSettings(stem=False, irregular=False, stop_words=False, split_identifiers=False)
    )

    assert plain.terms("What children went FastAPI") == ("what", "children", "went", "fastapi")


def test_an_endless_word_gives_a_short_term() -> None:
    (term,) = Analyzer().terms("x" * 100_000)

    assert len(term.encode()) <= 120
