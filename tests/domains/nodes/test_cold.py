"""What a question to nodes, and the opening of a session, load in a process that begins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.services.test_recall_imports import HEAVY
from tests.support.memory import memory_of, new_project

PROGRAM = """
import json, os, sys
from pathlib import Path
from memfs.app.container import open_memory
with open_memory(start=Path(sys.argv[1]), env=dict(os.environ), as_principal="agent:a") as memory:
    found = [hit.summary for hit in memory.query_nodes("staging database").hits]
    started = memory.context(is_session_start=True, opening="what of our staging?")
print(json.dumps([found, len(started.sections), len(started.cards), sorted(sys.modules)]))
"""


def test_a_cold_question_loads_nothing_heavy_and_no_optional_package(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.save_node("The staging database is wiped weekly", content="On Mondays.")
        memory.save_node("Always track outages")
        memory.set_profile("editor", "vim")
        memory.query_nodes("warm")
        memory.rebuild()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(project)],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )

    found, sections, cards, loaded = json.loads(done.stdout)
    assert (found, sections, cards) == (["The staging database is wiped weekly"], 2, 1)
    heavy = [name for name in loaded if name in HEAVY or name.split(".")[0] in HEAVY]
    assert heavy == []
