"""What a question may load: a prompt hook pays for every import at each prompt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from memfs.services.reindex import ensure_fresh
from tests.support.recall_stores import note, workspace_with

HEAVY = (
    *("pydantic", "ruamel", "git", "watchdog", "detect_secrets", "rich", "glyphguard"),
    *("frontmatter", "sqlite3", "asyncio", "urllib.request", "http.client", "ssl"),
    *("whoosh.index", "whoosh.fields", "whoosh.codec", "whoosh.writing", "numpy"),
)
PROGRAM = """
import json, sys
from pathlib import Path
from memfs.store.store import Store
from tests.support.recall_stores import question, workspace_over
before = set(sys.modules)
from memfs.services.compile_context import compile_packet
from memfs.services.recall import recall
query = question(sys.argv[3])
with Store.open(Path(sys.argv[1])) as store:
    workspace = workspace_over(store, Path(sys.argv[2]))
    packet = compile_packet(workspace, recall(workspace, query), query)
print(json.dumps([len(packet.cards), packet.state, sorted(set(sys.modules) - before)]))
"""


def test_a_question_to_a_fresh_index_loads_nothing_heavy(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "the staging database is wiped weekly")) as workspace:
        ensure_fresh(workspace)
        command = [
            *(sys.executable, "-c", PROGRAM),
            *(str(workspace.store.root), str(workspace.cache_dir), "staging database"),
        ]
        done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")

    cards, state, loaded = json.loads(done.stdout)
    assert (cards, state) == (1, "ok")
    heavy = [name for name in loaded if name in HEAVY or name.split(".")[0] in HEAVY]
    assert heavy == []
