from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.formats.settings import NewerFormatError, SettingsError, decode_settings
from memfs.model.settings import (
    Durability,
    HandEdits,
    InboxSettings,
    IndexMode,
    Mode,
    RankSettings,
    RecallSettings,
    Settings,
    StoreSettings,
    TrustSettings,
)

STORE = "store_01kb8x3v6yq4m9t2r7w5z1c0de"
LEAST = f"store_id: {STORE}\nproject: datasync\n"
TEMPLATE = Path(__file__).parents[2] / "templates" / "store" / "memfs.yaml"


def found(text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(SettingsError) as caught:
        decode_settings(text.encode())
    return [(item.line, item.code, item.hint) for item in caught.value.problems]


def test_what_a_file_leaves_out_has_the_default() -> None:
    settings = decode_settings(LEAST.encode())
    assert replace(settings, digest="") == Settings(store_id=STORE, project="datasync")
    assert len(settings.digest) == 8


def test_a_file_without_switches_keeps_the_digest_that_it_had_before_there_were_any() -> None:
    plain = decode_settings(LEAST.encode())
    assert plain.digest == "69b8d65a"
    assert decode_settings((LEAST + "sources: {off: []}\n").encode()).digest == plain.digest
    switched = decode_settings((LEAST + "sources: {off: [agent:a, agent:b]}\n").encode())
    other = decode_settings((LEAST + "sources: {off: [agent:b, agent:a]}\n").encode())
    assert switched.digest == other.digest != plain.digest


@pytest.mark.parametrize(
    "switch",
    ["scout", "agent:", "system:memfs", "channel:system", "channel:web", "class:any", "import:"],
)
def test_a_switch_names_something_that_can_be_switched_off(switch: str) -> None:
    faults = found(LEAST + f'sources: {{off: ["{switch}"]}}\n')
    assert [(line, code) for line, code, _ in faults] == [(3, "settings.value")]


def test_every_key_reaches_its_setting() -> None:
    text = LEAST + (
        "format: 1\nmode: read-only\n"
        "sources:\n  off: [agent:scout, user:ben, channel:tool, class:remote, import:claude]\n"
        "trust: {scripted: [user:ana], hand_edits: adopt, agent_quotes: false}\n"
        "recall:\n  budget_tokens: 900\n  items: 3\n  item_bytes: 100\n  item_lines: 9\n"
        "  session_bytes: 1000\n  rank:\n    keyword: 2\n    recency: 0\n    lineage: 0.3\n"
        "    importance: 0.4\n    vector: 0.5\n    outcome: 0.6\n    half_life_days: 7\n"
        "    floor: 0.2\n"
        "inbox: {expire_days: 7, quota: 10, item_bytes: 1000}\n"
        "store: {index: split, durability: each, lock_timeout_s: 2.5}\n"
        "policy:\n  tighten:\n    fact.user-stated: quarantine\n"
    )
    assert replace(decode_settings(text.encode()), digest="") == Settings(
        store_id=STORE,
        project="datasync",
        mode=Mode.READ_ONLY,
        sources_off=frozenset(
            {"agent:scout", "user:ben", "channel:tool", "class:remote", "import:claude"}
        ),
        trust=TrustSettings(scripted=("user:ana",), hand_edits=HandEdits.ADOPT, agent_quotes=False),
        recall=RecallSettings(
            budget_tokens=900,
            items=3,
            item_bytes=100,
            item_lines=9,
            session_bytes=1000,
            rank=RankSettings(
                keyword=2.0,
                recency=0.0,
                lineage=0.3,
                importance=0.4,
                vector=0.5,
                outcome=0.6,
                half_life_days=7.0,
                floor=0.2,
            ),
        ),
        inbox=InboxSettings(expire_days=7, quota=10, item_bytes=1000),
        store=StoreSettings(index=IndexMode.SPLIT, durability=Durability.EACH, lock_timeout_s=2.5),
        tightened={"fact.user-stated": "quarantine"},
    )


def test_the_template_says_the_defaults() -> None:
    text = TEMPLATE.read_text("utf-8")
    for name, value in (("STORE_ID", STORE), ("PROJECT", "datasync"), ("SCRIPTED", "[]")):
        text = text.replace(f"@{name}@", value)
    settings = decode_settings(text.encode())
    # A new store lets vectors count where an embedder is configured; one of before does not,
    # until its own settings say so.
    rank = RankSettings(vector=0.25)
    assert replace(settings, digest="") == Settings(
        store_id=STORE, project="datasync", recall=RecallSettings(rank=rank)
    )


def test_all_faults_are_reported_at_once_with_line_and_hint() -> None:
    text = (
        "store_id: store_1\nrecal: {items: 3}\nmode: on\nrecall:\n  items: many\n  rank:\n"
        "    floors: 1\ntrust:\n  scripted: [agent:x]\npolicy:\n  tighten: {a: activate}\n"
        "inbox: 3\n"
    )
    assert found(text) == [
        (1, "settings.missing", ""),
        (1, "settings.value", ""),
        (2, "settings.unknown-key", "did you mean 'recall'?"),
        (3, "settings.value", ""),
        (5, "settings.value", ""),
        (7, "settings.unknown-key", "did you mean 'floor'?"),
        (9, "settings.value", ""),
        (11, "settings.value", ""),
        (12, "settings.type", ""),
    ]


def test_a_verdict_can_only_be_made_stricter() -> None:
    assert [code for _, code, _ in found(LEAST + "policy: {tighten: {a.b: activate}}\n")] == [
        "settings.value"
    ]


def test_a_newer_format_is_refused_whatever_else_the_file_says() -> None:
    with pytest.raises(NewerFormatError) as caught:
        decode_settings(b"format: 2\nstore_id: 7\nnew_key: {}\n")
    assert (caught.value.code, caught.value.exit_status) == ("store.newer-format", 12)


def test_the_digest_follows_the_meaning_and_not_the_spelling() -> None:
    plain = decode_settings(LEAST.encode())
    spelled = decode_settings(
        f"# mine\nproject: 'datasync'\nrecall:\n  items: 5\nstore_id: {STORE}\n".encode()
    )
    stricter = decode_settings((LEAST + "policy: {tighten: {a.b: reject}}\n").encode())
    assert plain.digest == spelled.digest
    assert plain.digest != stricter.digest


def test_reading_records_and_settings_imports_no_heavy_library() -> None:
    code = (
        "import sys, memfs.formats.settings, memfs.formats.record_codec, memfs.app.registry\n"
        "import memfs.formats.candidate_codec, memfs.formats.hold_codec\n"
        f"memfs.formats.settings.decode_settings({LEAST.encode()!r})\n"
        "print([name for name in ('pydantic', 'ruamel', 'ruamel.yaml', 'frontmatter', 'git')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
