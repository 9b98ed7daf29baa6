"""What goes with the second of two that were one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.domains.graph.splitting import Part, check_split, split_off
from memfs.model.authority import Sensitivity
from memfs.model.status import Status
from memfs.model.values import JsonValue
from tests.support.graphs import claim, entity

SETUP = "## Setup ##\n\nBy hand.\n\n```\n# no heading\n```\n\n### Deeper\n\nMore.\n"
BODY = f"Intro.\n\n{SETUP}\n## Use\n\nOften.\n"


@pytest.mark.parametrize(
    ("part", "first", "second"),
    [
        (Part(title="two", section="setup"), "Intro.\n\n## Use\n\nOften.\n", SETUP),
        (
            Part(title="two", section="# Use"),
            BODY.partition("\n\n## Use")[0] + "\n",
            "## Use\n\nOften.\n",
        ),
        (Part(title="two", text="\nIntro.\n"), BODY.removeprefix("Intro.\n\n"), "Intro.\n"),
        (Part(title="two"), BODY, ""),
        (Part(title="two", text=BODY), "", BODY),
    ],
)
def test_words_move_as_they_stand_and_none_is_lost(part: Part, first: str, second: str) -> None:
    node = claim("one", body=BODY, abstract="All of it.", summary="One.", tags=("a",))
    left, new = split_off(node, part)
    assert (left.body, new.body) == (first, second)
    assert sorted(filter(None, f"{left.body}\n{new.body}".split("\n"))) == sorted(
        filter(None, BODY.split("\n"))
    )
    assert (left.abstract, new.abstract) == ("All of it.", "All of it.")
    assert (left.id, new.id, new.title, new.summary) == (node.id, "", "two", "")
    assert new.tags == ("a",)


def test_named_aliases_and_attributes_move_and_the_rest_stays() -> None:
    fields: dict[str, JsonValue] = {
        "aliases": ["Hermes", "Planet", "Merkur"],
        "attributes": {"moons": 0, "wings": 2},
        "entity_type": "god",
    }
    thing = replace(entity("Mercury"), fields=fields)
    part = Part(title="planet", aliases=("merkur",), attributes=("moons",), entity_type="body")
    assert check_split(thing, part) == ()
    left, new = split_off(thing, part)
    assert left.fields == {
        "aliases": ["Hermes"],
        "attributes": {"wings": 2},
        "entity_type": "god",
    }
    assert new.fields == {
        "aliases": ["Merkur"],
        "attributes": {"moons": 0},
        "entity_type": "body",
    }
    assert new.subject == "planet"


def test_the_second_is_kept_as_closely_as_the_first() -> None:
    node = claim("one", sensitivity=Sensitivity.CONFIDENTIAL, taint=("remote",))
    _, new = split_off(node, Part(title="two"))
    assert (new.sensitivity, new.taint, new.origin) == (
        Sensitivity.CONFIDENTIAL,
        ("remote",),
        node.origin,
    )


@pytest.mark.parametrize(
    ("part", "code"),
    [
        (Part(title=" "), "split.title"),
        (Part(title="ONE"), "split.same-name"),
        (Part(title="two", text="not there"), "split.text"),
        (Part(title="two", section="not there"), "split.text"),
        (Part(title="two", aliases=("x",)), "split.alias"),
        (Part(title="two", attributes=("x",)), "split.alias"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(part: Part, code: str) -> None:
    assert [item.code for item in check_split(entity("one"), part)] == [code]


def test_what_does_not_stand_or_is_sealed_stays_one() -> None:
    part = Part(title="two")
    gone = replace(claim("one"), status=Status.RETRACTED)
    sealed = replace(claim("one"), sensitivity=Sensitivity.SEALED)
    fact = claim("one", kind="fact")
    found = [check_split(record, part)[0].code for record in (gone, sealed, fact)]
    assert found == ["record.not-active", "merge.sealed", "split.kind"]
