"""Which words tell an erased record, and in which forms they are looked for (A61)."""

from __future__ import annotations

import json

import pytest

from memfs.policy.erasure import distinctive, forms_of, is_rare_looking, phrases_in, phrases_of
from tests.support.policy import claim


@pytest.mark.parametrize(
    "word",
    ["quokka-8841", "ana.lopez@example.org", "4929113300", "zebra_quartz_lamp", "HOLLYHOCKS"],
)
def test_a_code_an_address_or_a_number_is_hardly_a_coincidence(word: str) -> None:
    assert is_rare_looking(word)


@pytest.mark.parametrize(
    "word",
    [
        "harbour",
        "2026-11-29",
        "2026-11-29T10:12:00Z",
        "mem_01kb8x3v7a0000000000000000",
        "tx_01kb8x3v7a0000000000000000",
        "3f9c21ab3f9c21ab3f9c21ab3f9c21ab3f9c21ab",
        "src/memfs/store",
        "v1.2",
        "well-known",
    ],
)
def test_ids_dates_and_plain_words_stand_in_many_places(word: str) -> None:
    assert not is_rare_looking(word)


def test_lines_and_sentences_are_phrases_without_their_list_marks() -> None:
    found = list(phrases_in("- The key hangs behind the door. Ask Ben before noon.\n\nYes.\n"))
    assert found[0] == "The key hangs behind the door. Ask Ben before noon."
    assert "The key hangs behind the door" in found
    assert "Yes." not in found


def test_what_other_records_say_is_not_distinctive() -> None:
    found = distinctive(["the door is green", "the key is ten"], ["say: the door is green today"])
    assert found.distinctive == ("the key is ten",)
    assert found.shared == 1


def test_fields_with_words_are_phrases_too() -> None:
    record = claim("A body of its own here", unknown={"remark": "kept behind the mirror"})
    assert any("kept behind the mirror" in phrase for phrase in phrases_of(record))


def test_a_phrase_is_looked_for_in_every_form_that_is_written() -> None:
    phrase = 'caf\u00e9 "noir" [8]'
    found = forms_of(phrase)
    decomposed = "cafe\u0301".encode()
    assert phrase.encode() in found
    assert any(form.startswith(decomposed) for form in found)
    assert json.dumps(phrase)[1:-1].encode() in found
    assert 'caf\u00e9 "noir" \\[8\\]'.encode() in found
    assert b'caf\\303\\251 "noir" [8]' in found
