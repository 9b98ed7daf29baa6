"""How roles rest: they go over what they remember, settle it, and give account of it.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

import os

from memfs.app.opened import Opened
from memfs.app.role_minds import RULES, mind_from
from memfs.app.role_names import role_named
from memfs.model.origin import PrincipalKind
from memfs.model.result import Result
from memfs.model.role_sleep import Rest
from memfs.model.settings import Mode
from memfs.services.modes import require_taking


class Resting(Opened):
    """How roles rest: they go over what they remember, settle it, and give account of it."""

    def ruminate(self, role: str = "", *, script: bytes | None = None) -> Result:
        """Goes over short-term memory: what says the same becomes one; nothing else changes.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            script: Operations to propose, one a line; ``None`` to go by the rules.

        Raises:
            UsageError: The role is no plain name, or none is named.
            MemoryModeError: The store takes nothing in.
        """
        return self._rested(role, Rest.RUMINATION, script=script)

    def nap_role(self, role: str = "") -> Result:
        """Settles what time settles, and makes one of what says the same; keeps the rest.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.

        Raises:
            UsageError: The role is no plain name, or none is named.
            MemoryModeError: The store takes nothing in.
        """
        return self._rested(role, Rest.NAP)

    def sleep_role(
        self, role: str = "", *, script: bytes | None = None, mind: str = RULES, key: str = ""
    ) -> Result:
        """Settles every short-term memory in one commit with an account, or changes nothing.

        One rest of a role at a time: a second one does nothing and says so.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            script: Operations to propose, one a line; with it no other mind is asked.
            mind: ``rules``, or ``model`` for the model that is configured.
            key: Makes a repetition harmless.

        Raises:
            UsageError: The role is no plain name, none is named, or there is no such mind.
            MemoryModeError: The store takes nothing in.
        """
        return self._rested(role, Rest.SLEEP, script=script, mind=mind, key=key)

    def rest_due_roles(self) -> tuple[Result, ...]:
        """Has every role rest that is due: a nap where it is drowsy, a sleep where it is night.

        A person looks after every role, an agent after itself, and nobody else after any. What
        goes wrong with one role keeps no other from its rest, and is told; the next look tries
        again.
        """
        from memfs.app.due_rests import rest_due_roles
        from memfs.policy.administration import decide_role_operation

        is_agent = self.actor.principal.kind is PrincipalKind.AGENT
        only = self.actor.principal.name if is_agent else ""
        if not decide_role_operation(self.actor, only, self.workspace.settings).is_admitted:
            return ()
        return rest_due_roles(self.workspace, self.actor, only=only)

    def _rested(
        self,
        role: str,
        rest: Rest,
        *,
        script: bytes | None = None,
        mind: str = RULES,
        key: str = "",
    ) -> Result:
        from memfs.app.rest_answers import already_resting, rest_result, stranger, with_silence
        from memfs.domains.roles.rest.rest_state import RoleRestingError
        from memfs.domains.roles.rest.settling import settle
        from memfs.domains.roles.rest.sleeping import rest_role
        from memfs.policy.administration import decide_role_operation
        from memfs.policy.reasons import reason

        require_taking(self.workspace)
        name = role_named(role, self.actor)
        decision = decide_role_operation(self.actor, name, self.workspace.settings)
        faults = decision.reasons
        if decision.is_admitted and self.workspace.settings.mode is Mode.SHADOW:
            # A role is served nothing then: that nothing is open to it would be told as a rest.
            faults = (reason("mode.shadow"),)
        if faults:
            return stranger(self.workspace, name, rest, faults)
        self._take_in()
        silence: list[str] = []
        try:
            rested = rest_role(
                self.workspace,
                name,
                rest,
                mind_from(
                    self.workspace,
                    name,
                    rest,
                    script=script,
                    mind=mind,
                    env=os.environ,
                    on_silence=silence.append,
                ),
                self.actor,
                maintenance=() if rest is Rest.RUMINATION else (lambda plan: settle(plan.view),),
                key=key,
            )
        except RoleRestingError as error:
            return already_resting(self.workspace, name, rest, error)
        return with_silence(rest_result(self.workspace, name, rested, self.actor), silence)
