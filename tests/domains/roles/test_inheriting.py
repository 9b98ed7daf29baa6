"""What takes another memory in is kept as closely as that, by whatever operation it does so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.model.authority import Sensitivity, Sink
from memfs.model.record import Record
from tests.support.roles import REASON, Mind, proposal, whole

_HERE = frozenset({Sink.PERSON, Sink.AGENT})


def _marked(mind: Mind, record: Record) -> Record:
    """Returns a memory that a person marked, as the role's view has it then."""
    marked = replace(
        record,
        sensitivity=Sensitivity.CONFIDENTIAL,
        sinks=_HERE,
        taint=("agent",),
        record_class="health",
    )
    mind.view = replace(mind.view, memories={**mind.view.memories, record.id: marked})
    return marked


def _closed(mind: Mind, topic: str) -> str:
    """Returns the id of a memory that is closely kept."""
    return _marked(mind, mind.made("RecordShortTermMemory", topic=topic, claim=topic)).id


def _is_as_close(record: Record) -> bool:
    labels = (record.sensitivity, record.sinks, record.taint, record.record_class)
    return labels == (Sensitivity.CONFIDENTIAL, _HERE, ("agent",), "health")


@pytest.mark.parametrize("name", ["ApplyMemoryDistillation", "MergeIncubationSupport"])
def test_what_is_made_of_a_memory_or_takes_it_in_is_kept_as_closely(name: str) -> None:
    mind = Mind()
    assert _is_as_close(mind.made(name, sources=[_closed(mind, "new")], topic="other"))
    standing = mind.made(name, sources=[mind.made("RecordShortTermMemory").id])
    assert not _is_as_close(standing)
    assert mind.apply(whole(name, sources=[_closed(mind, "later")])).reasons == ()
    assert _is_as_close(mind.now(standing))


def test_a_memory_that_takes_others_in_hands_on_how_closely_they_are_kept() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory", topic="first", claim="first")
    names = [first.id, _closed(mind, "second")]
    assert mind.apply(proposal("ClusterShortTermMemory", memories=names)).reasons == ()
    # In the same batch, before anything of it is in the ledger.
    durable = mind.made("ApplyMemoryDistillation", sources=[first.id])
    text = proposal("ReviseDurableMemory", memory=durable.id, claim="Otherwise now", **REASON)
    (revised,) = mind.apply(text).made
    assert all(map(_is_as_close, (mind.now(first), durable, revised)))
