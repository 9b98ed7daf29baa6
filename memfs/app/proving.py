"""Procedures: steps that worked, proved by episodes, moved by outcomes and people.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.result import Result
from memfs.services.modes import require_serving, require_taking

if TYPE_CHECKING:
    from memfs.domains.procedures.standing import ProcedureView
    from memfs.model.outcome import UseResult


class ProcedureOptions(TypedDict, total=False):
    """What may be said of a procedure besides its steps; empty strings stand for nothing said.

    ``script`` is a file of the project that holds the steps, ``tools`` are files of the project
    or programs that they depend on; neither is ever run. ``applies_when`` are conditions such as
    ``platform=linux`` or ``tool.make>=4``; ``episodes`` names what it was made from; ``key``
    makes a repetition harmless.
    """

    title: str
    script: str
    tools: Sequence[str]
    applies_when: Sequence[str]
    episodes: Sequence[str]
    tags: Sequence[str]
    key: str


class EpisodeOptions(TypedDict, total=False):
    """What may be said of an attempt besides its words; empty strings stand for nothing said.

    ``result`` is ``success``, ``partial`` or ``failure``, by default what was observed;
    ``conditions`` are such as ``tool.make=4.4``; ``evidence`` names what the host observed, or
    runs that it observed; ``procedure`` is what was followed, nothing for an attempt without
    memory; ``key`` makes a repetition harmless.
    """

    result: str
    conditions: Sequence[str]
    evidence: Sequence[str]
    procedure: str
    key: str


class Proving(Opened):
    """Procedures and the episodes that prove them."""

    def propose_procedure(self, text: str, **options: Unpack[ProcedureOptions]) -> Result:
        """Proposes steps that worked; they wait for a person, and are proved by outcomes then.

        Raises:
            UsageError: Nothing is said, or what they are made from is no scored episode.
            UnknownRecordError: What they are made from is not there, or not seen.
        """
        from memfs.app.drafts import ClaimOptions, draft_from
        from memfs.domains.procedures.episodes import required_episodes
        from memfs.model.candidate import Submission
        from memfs.model.procedure import PROCEDURE_KIND
        from memfs.model.values import JsonValue
        from memfs.policy.authority import capture_origin
        from memfs.services.owners import submit

        require_taking(self.workspace)
        self._take_in()
        made_from = required_episodes(self.workspace, options.get("episodes", ()), self.actor)
        fields: dict[str, JsonValue] = {
            "applies_when": list(dict.fromkeys(options.get("applies_when", ()))),
            "script": options.get("script", ""),
            "tools": list(dict.fromkeys(options.get("tools", ()))),
        }
        claim = ClaimOptions(
            kind=PROCEDURE_KIND,
            title=options.get("title", ""),
            tags=options.get("tags", ()),
            fields={name: value for name, value in fields.items() if value},
            derived_from=[item.record.id for item in made_from],
        )
        if not text.strip():
            raise UsageError("expected the steps, got nothing")
        submission = Submission(
            draft=draft_from(self.workspace, text, claim),
            origin=capture_origin(self.actor, text),
            key=options.get("key", ""),
        )
        return submit(
            self.workspace, self.beside, submission, self.actor, action="propose procedure"
        )

    def record_episode(self, text: str = "", **options: Unpack[EpisodeOptions]) -> Result:
        """Records how one attempt ended: a person's account, or what the host observed of it.

        Raises:
            UsageError: There is neither a result nor an observation.
            UnknownRecordError: The procedure is not there, or not seen.
        """
        from memfs.domains.procedures.episodes import Attempt, told
        from memfs.services.answers import refused
        from memfs.services.propose import own_key, submit

        require_taking(self.workspace)
        self._take_in()
        attempt = Attempt(
            text=text,
            result=_result(options.get("result", "")),
            conditions=tuple(options.get("conditions", ())),
            evidence=tuple(dict.fromkeys(options.get("evidence", ()))),
            procedure=options.get("procedure", ""),
        )
        key = own_key(self.actor, options.get("key", ""))
        account = told(self.workspace, attempt, self.actor, key=key)
        if account.submission is None or account.actor is None:
            return refused(self.workspace, "record episode", "", account.reasons)
        return submit(self.workspace, account.submission, account.actor, action="record episode")

    def use_outcome(
        self, reference: str, *, episode: str = "", control: str = "", is_harmful: bool = False
    ) -> Result:
        """Records how a use of a procedure turned out, and moves the procedure by it.

        Args:
            reference: The procedure.
            episode: The attempt that followed it.
            control: An attempt without memory under the same conditions.
            is_harmful: A person says that the use did harm.

        Raises:
            UsageError: There is no episode, and no person's word of harm.
            UnknownRecordError: One of them is not there, or not seen.
        """
        from memfs.services.outcomes import record_outcome
        from memfs.services.procedure_uses import UseWish

        if not episode and not is_harmful:
            raise UsageError(
                "expected the episode of the use, got none",
                hint="tell of it first: memfs procedure episode",
            )
        self._take_in()
        wish = UseWish(episode=episode, control=control, is_harmful=is_harmful)
        return record_outcome(self.workspace, reference, None, self.actor, use=wish)

    def move_procedure(self, reference: str, verb: str) -> Result:
        """Lets a procedure be tried, vouches for it or sets it aside, as a person says.

        Args:
            reference: The procedure.
            verb: ``trial``, ``promote`` or ``deprecate``.

        Raises:
            UsageError: There is no such verb.
            UnknownRecordError: No record matches, or none that may be seen.
        """
        from memfs.domains.procedures.moving import VERBS, move_procedure

        if verb not in VERBS:
            raise UsageError(f"expected one of {', '.join(VERBS)}, got {verb!r}")
        self._take_in()
        return move_procedure(self.workspace, reference, verb, self.actor)

    def check_procedures(self) -> tuple[Result, ...]:
        """Takes their stage from procedures that are stale, or whose grounds were taken back."""
        from memfs.domains.procedures.moving import settle_procedures

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        return settle_procedures(self.workspace, self.actor)

    def procedures(self, *, stage: str = "", limit: int = 0) -> tuple[ProcedureView, ...]:
        """Lists procedures with how they stand, newest first.

        Raises:
            UsageError: There is no such stage.
        """
        from memfs.domains.procedures.standing import list_procedures
        from memfs.model.procedure import Stage

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        try:
            wanted = Stage(stage) if stage else None
        except ValueError:
            raise UsageError(f"expected one of {', '.join(Stage)}, got {stage!r}") from None
        return list_procedures(self.workspace, self.actor, stage=wanted, limit=limit)

    def procedure(self, reference: str) -> ProcedureView:
        """Returns one procedure, what it has shown, and the episodes that followed it."""
        from memfs.domains.procedures.standing import show_procedure

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        return show_procedure(self.workspace, reference, self.actor)


def _result(text: str) -> UseResult | None:
    if not text:
        return None
    from memfs.app.drafts import use_result_from

    return use_result_from(text)
