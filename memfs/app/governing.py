"""What a person does to govern a store: one method a verb, each answered by a value.

:class:`memfs.app.memory.Memory` inherits it. A verb looks for edits first, like every command
that changes something, and hands the work to its service.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from memfs.app.opened import Opened
from memfs.model.result import Result

if TYPE_CHECKING:
    from memfs.app.granting import GrantOptions
    from memfs.model.evidence import Observation
    from memfs.model.record import StoredRecord
    from memfs.services.conflicts import StandingConflict
    from memfs.services.grants import StandingGrant
    from memfs.services.withdraw import Reach


class Governing(Opened):
    """The governing verbs of one opened store and the one who works with it."""

    # What claims rest on ----------------------------------------------------------------

    def capture(
        self, text: str, *, source: str = "", speaker: str = "", scope: str = "", key: str = ""
    ) -> Result:
        """Keeps a text as evidence, with the origin of its channel; it is nobody's claim.

        Args:
            text: The text as it arrived.
            source: Pointer to where it stands, such as ``session:abc#12`` or an address.
            speaker: Who said it according to the transport.
            scope: Namespace that it belongs to; the store's by default.
            key: Makes a repetition harmless.
        """
        from memfs.app.drafts import scope_from
        from memfs.services.capture import capture

        self._take_in()
        return capture(
            self.workspace,
            text,
            self.actor,
            source=source,
            speaker=speaker,
            scope=scope_from(scope),
            key=key,
        )

    def observe(
        self, observation: Observation, *, output: str = "", source: str = "", key: str = ""
    ) -> Result:
        """Keeps what the host observed, and apart from it the text that a tool printed."""
        from memfs.services.capture import observe

        self._take_in()
        return observe(
            self.workspace, observation, self.actor, output=output, source=source, key=key
        )

    def outcome(
        self,
        reference: str,
        result: str,
        *,
        evidence: Sequence[str] = (),
        verifiers: Sequence[str] = (),
    ) -> Result:
        """Records how using a record turned out: a person's word, or what bears it out.

        Args:
            reference: The record that was used.
            result: ``success``, ``partial`` or ``failure``.
            evidence: Ids of what the host observed.
            verifiers: What is to be looked up, such as ``path=src/app.py``.

        Raises:
            UsageError: There is no such result or check.
        """
        from memfs.app.drafts import check_from, use_result_from
        from memfs.services.outcomes import record_outcome

        wanted, checks = use_result_from(result), tuple(map(check_from, verifiers))
        self._take_in()
        return record_outcome(
            self.workspace, reference, wanted, self.actor, evidence=evidence, checks=checks
        )

    # Who may read what ------------------------------------------------------------------

    def grant(self, grantee: str, **options: Unpack[GrantOptions]) -> Result:
        """Lets ``grantee`` read what the options name, until the grant ends or is revoked."""
        from memfs.app.granting import grant_wanted
        from memfs.services.grants import issue_grant

        self._take_in()
        wanted = grant_wanted(self.workspace, self.actor, grantee, options)
        return issue_grant(self.workspace, wanted, self.actor)

    def revoke(self, reference: str) -> Result:
        """Takes a grant back; the next question of its grantee is answered without it."""
        from memfs.services.grants import revoke_grant

        self._take_in()
        return revoke_grant(self.workspace, reference, self.actor)

    def grants(self) -> tuple[StandingGrant, ...]:
        """Returns the grants and how they stand, newest first; an agent sees its own."""
        from memfs.services.grants import standing_grants

        return standing_grants(self.workspace, self.actor)

    # What contradicts what --------------------------------------------------------------

    def conflicts(self) -> tuple[StandingConflict, ...]:
        """Returns the open conflicts with the sides that may be seen, oldest first."""
        from memfs.services.conflicts import open_conflicts

        self._take_in()
        return open_conflicts(self.workspace, self.actor)

    def sides_against(self, stored: StoredRecord) -> tuple[StoredRecord, ...]:
        """Returns the records that say otherwise than ``stored``, those that may be seen."""
        from memfs.services.conflicts import sides_against

        return sides_against(self.workspace, stored, self.actor)

    def resolve(
        self, reference: str, keep: Sequence[str], *, note: str = "", is_retracted: bool = False
    ) -> Result:
        """Keeps some sides of a conflict; the others give way, or are retracted as wrong."""
        from memfs.services.conflicts import resolve

        self._take_in()
        return resolve(
            self.workspace, reference, keep, self.actor, note=note, is_retracted=is_retracted
        )

    # What is taken back -----------------------------------------------------------------

    def reach(self, references: Sequence[str]) -> Reach:
        """Tells what taking records back would reach; changes nothing."""
        from memfs.services.withdraw import reach_of

        self._take_in()
        return reach_of(self.workspace, references, self.actor)

    def retract(self, reference: str, *, why: str = "") -> Result:
        """Takes back a record that was wrong, and withholds what rests on it."""
        from memfs.services.withdraw import retract

        self._take_in()
        return retract(self.workspace, reference, self.actor, why=why)

    def forget(self, references: Sequence[str], *, why: str = "") -> Result:
        """Removes records, or sources, for good; tombstones keep them from coming back."""
        from memfs.services.withdraw import forget

        self._take_in()
        return forget(self.workspace, references, self.actor, why=why)

    def restore(self, reference: str) -> Result:
        """Serves a retracted record again, and what rests on it where it is supported."""
        from memfs.services.restore import restore

        self._take_in()
        return restore(self.workspace, reference, self.actor)

    # What is gone for good --------------------------------------------------------------

    def erase(
        self,
        references: Sequence[str],
        *,
        texts: Sequence[str] = (),
        is_history: bool = False,
        is_dry_run: bool = False,
    ) -> Result:
        """Erases records and searches every place that memfs manages for what is left of them.

        Args:
            references: Records, also ones that only the history has.
            texts: Further words that must go wherever they stand.
            is_history: Rewrite the Git history as well.
            is_dry_run: Only tell where it stands and what would be done.
        """
        from memfs.services.erase import EraseWish, erase

        self._take_in()
        wish = EraseWish(
            references=tuple(references),
            texts=tuple(texts),
            is_history=is_history,
            is_dry_run=is_dry_run,
        )
        return erase(self.workspace, wish, self.actor)
