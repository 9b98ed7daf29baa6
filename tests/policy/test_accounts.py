"""An account of work from another clone is believed for no more than it could have been there."""

from __future__ import annotations

from dataclasses import replace

from memfs.model.authority import Authority
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.accounts import believed_account, is_replacement_mark

ANA, EVE = Principal.parse("user:ana"), Principal.parse("user:eve")
BUILDER = Principal.parse("agent:builder")


def run_by(given: OriginClass, principal: Principal, channel: Channel) -> Record:
    return Record(
        kind="run",
        id="run_01kb8x3v6yq4m9t2r7w5z1c0df",
        title="Do it",
        body="Did it.",
        authority=Authority.USER,
        origin=Origin(
            origin_class=given, principal=principal, channel=channel, source="run:x", digest="d"
        ),
    )


def test_an_account_keeps_whose_words_it_holds_where_that_claims_no_more() -> None:
    agent = run_by(OriginClass.AGENT_STATED, BUILDER, Channel.AGENT)
    host = run_by(OriginClass.HOST_OBSERVED, BUILDER, Channel.HOST)
    own = run_by(OriginClass.USER_STATED, ANA, Channel.TERMINAL)

    kept = [believed_account(said, ANA) for said in (agent, host, own)]

    assert [said and said.origin for said in kept] == [agent.origin, host.origin, own.origin]
    assert [said and said.authority for said in kept] == [
        Authority.NONE,
        Authority.OBSERVED,
        Authority.USER,
    ]
    assert kept[0] == replace(agent, authority=Authority.NONE, taint=("agent",))


def test_what_claims_more_or_is_no_account_is_whoever_accepts_it() -> None:
    agent = run_by(OriginClass.AGENT_STATED, BUILDER, Channel.AGENT)
    for said in (
        run_by(OriginClass.USER_STATED, EVE, Channel.TERMINAL),
        run_by(OriginClass.SYSTEM, BUILDER, Channel.SYSTEM),
        replace(agent, kind="fact"),
        replace(agent, id=""),
        replace(agent, origin=None),
        replace(agent, status=Status.SUPERSEDED),
    ):
        assert believed_account(said, ANA) is None


def test_only_the_mark_of_a_successor_may_be_put_on_an_account() -> None:
    run = run_by(OriginClass.AGENT_STATED, BUILDER, Channel.AGENT)
    mark = replace(run, status=Status.SUPERSEDED, superseded_by="run_01kb8x3v6yq4m9t2r7w5z2c0df")

    assert is_replacement_mark(mark, run)
    for said, standing in (
        (replace(mark, superseded_by=""), run),
        (replace(mark, body="Other."), run),
        (replace(mark, status=Status.RETRACTED), run),
        (replace(mark, kind="fact"), replace(run, kind="fact")),
        (mark, mark),
        (run, mark),
    ):
        assert not is_replacement_mark(said, standing)
