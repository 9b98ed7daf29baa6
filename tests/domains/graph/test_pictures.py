"""Pictures: whole, stable, and no title can draw anything."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.domains.graph.pictures import GraphNode, PictureFormat, drawn
from memfs.model.graph import EdgeSort
from tests.support.walks import link

NODES = (
    GraphNode(id="ent_a", kind="entity", type="service", title="Heron", preview="a gate"),
    GraphNode(id="ent_b", kind="entity", title="Sluice", hops=1),
    GraphNode(id="mem_c", kind="note", preview="It stalls", hops=1),
)
LINKS = (
    link("ent_a", "ent_b", "feeds"),
    link("mem_c", "ent_a", "mentions", sort=EdgeSort.MENTIONS),
    link("mem_c", "ent_z", "mentions", sort=EdgeSort.MENTIONS),
)
HOSTILE = (
    'x"] --> evil',
    "`**bold**`",
    '"]; } digraph other {',
    "a\\",
    '\\"',
    "a\nb\r\n%% c",
    "<img src=x onerror=alert(1)>",
    "click n0 href 'javascript:alert(1)'",
    "\u202egnp.txt",
    "end",
    "#quot;",
    "\x1b[2J",
    "\ud800",
)


def test_a_picture_for_mermaid_tells_asserted_links_from_others() -> None:
    assert drawn(NODES, LINKS, PictureFormat.MERMAID, is_cut=True) == (
        "graph LR\n"
        "  %% there is more than is drawn\n"
        '  n0["Heron"]\n'
        '  n1["Sluice"]\n'
        '  n2["It stalls"]\n'
        '  n0 -->|"feeds"| n1\n'
        '  n2 -.->|"mentions"| n0\n'
        "  style n0 stroke-width:3px\n"
    )


def test_a_picture_for_graphviz_tells_asserted_links_from_others() -> None:
    assert drawn(NODES, LINKS, PictureFormat.DOT) == (
        "digraph memory {\n"
        '  graph [rankdir="LR"];\n'
        '  node [shape="box"];\n'
        '  "ent_a" [label="Heron", penwidth="3"];\n'
        '  "ent_b" [label="Sluice"];\n'
        '  "mem_c" [label="It stalls"];\n'
        '  "ent_a" -> "ent_b" [label="feeds"];\n'
        '  "mem_c" -> "ent_a" [label="mentions", style="dashed"];\n'
        "}\n"
    )


def test_a_picture_as_data_has_every_node_and_link_with_its_fields() -> None:
    assert json.loads(drawn(NODES[:2], LINKS, PictureFormat.JSON)) == {
        "nodes": [
            {
                "id": "ent_a",
                "kind": "entity",
                "type": "service",
                "title": "Heron",
                "preview": "a gate",
                "hops": 0,
            },
            {"id": "ent_b", "kind": "entity", "title": "Sluice", "hops": 1},
        ],
        "links": [
            {
                "from": "ent_a",
                "to": "ent_b",
                "relation": "feeds",
                "sort": "asserted",
                "record": "ent_a-feeds-ent_b",
            }
        ],
        "is_cut": False,
    }


_MERMAID_LINE = re.compile(
    r'  (?:n\d+\["[^"`<>;\[\]{}|\\\n]*(?:#\d+;[^"`<>;\[\]{}|\\\n]*)*"\]'
    r'|n\d+ -(?:-|\.-)>\|"[^"`<>\n]*"\| n\d+|style n0 stroke-width:3px)'
)
_DOT_TEXT = r'"(?:[^"\\\n]|\\["\\])*"'
_DOT_LINE = re.compile(
    rf'  (?:(?:graph|node) \[\w+={_DOT_TEXT}\]|{_DOT_TEXT} \[label={_DOT_TEXT}(?:, penwidth="3")?\]'
    rf'|{_DOT_TEXT} -> {_DOT_TEXT} \[label={_DOT_TEXT}(?:, style="dashed")?\]);'
)


def check_drawn(title: str) -> None:
    nodes = (GraphNode(id="ent_a", kind="entity", title=title), NODES[1])
    links = (link("ent_a", "ent_b", title), link("ent_b", "ent_a", sort=EdgeSort.DERIVED))
    mermaid = drawn(nodes, links, PictureFormat.MERMAID)
    dot = drawn(nodes, links, PictureFormat.DOT)

    assert mermaid.count("\n") == 6
    assert all(_MERMAID_LINE.fullmatch(line) for line in mermaid.split("\n")[1:-1]), mermaid
    assert dot.count("\n") == 8
    assert all(_DOT_LINE.fullmatch(line) for line in dot.split("\n")[1:-2]), dot


@pytest.mark.parametrize("title", HOSTILE, ids=ascii)
def test_no_title_can_draw_anything(title: str) -> None:
    check_drawn(title)


@given(st.text(max_size=80))
def test_no_words_at_all_can_draw_anything(title: str) -> None:
    check_drawn(title)


def test_a_long_title_is_cut() -> None:
    node = GraphNode(id="ent_a", kind="entity", title="word " * 5_000)

    assert len(drawn([node], [], PictureFormat.DOT)) < 250


def test_nothing_is_a_picture_too() -> None:
    assert drawn([], [], PictureFormat.MERMAID) == "graph LR\n"
    assert drawn([], [], PictureFormat.DOT).endswith("}\n")
