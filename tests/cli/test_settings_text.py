"""Settings as a flat table."""

from __future__ import annotations

from memfs.cli.settings_text import flat_settings
from memfs.model.settings import Settings, TrustSettings


def test_settings_have_dotted_names_and_plain_values() -> None:
    flat = flat_settings(
        Settings(
            store_id="store_x",
            project="datasync",
            sources_off=frozenset({"class:remote", "agent:scout"}),
            trust=TrustSettings(scripted=("user:ana",)),
            tightened={"preference.user-stated": "quarantine"},
        )
    )

    assert flat["format"] == 1
    assert flat["store_id"] == "store_x"
    assert flat["trust.scripted"] == ["user:ana"]
    assert flat["sources.off"] == ["agent:scout", "class:remote"]
    assert flat["trust.agent_quotes"] is True
    assert flat["trust.hand_edits"] == "review"
    assert flat["recall.rank.floor"] == 0.25
    assert flat["policy.tighten.preference.user-stated"] == "quarantine"
