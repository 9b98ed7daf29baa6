"""Who acts: decided from the terminal, the environment and the store's settings alone.

A person is recognised by a terminal on standard input and output and no agent marker in
the environment. A script acts for a person only in a store whose settings name that person
under ``trust.scripted``. Everything else is an agent and may read and propose.
"""

from __future__ import annotations

import getpass
import re
from collections.abc import Mapping
from typing import Final

from memfs.app.environment import AGENT
from memfs.errors import AccessError, UsageError
from memfs.model.frozen import frozen
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.settings import TrustSettings

AGENT_MARKERS: Final = (
    AGENT,
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "ANTIGRAVITY_AGENT",
    "OPENCODE",
    "AIDER_MODEL",
    "CLINE_ACTIVE",
    "COPILOT_AGENT",
)
"""Variables that coding agents set in the processes that they start."""

_LONG: Final = 16
"""A shorter name holds no secret."""
_UNNAMED_AGENT: Final = Principal(PrincipalKind.AGENT, "unnamed")


class NotTrustedError(AccessError):
    """A script wants to act for a person whom the store does not name."""

    code = "access.not-scripted"


@frozen
class Caller:
    """What an entry point knows about the process that called it.

    Attributes:
        as_principal: What ``--as`` said; empty when it was not given.
        yes: Whether ``--yes`` was given.
        is_terminal: Standard input and output are both a terminal.
        env: The environment.
    """

    as_principal: str
    yes: bool
    is_terminal: bool
    env: Mapping[str, str]


def resolve_actor(caller: Caller, trust: TrustSettings) -> Actor:
    """Returns who acts.

    Raises:
        UsageError: ``--as`` names no principal.
        NotTrustedError: A script claims to be a person here.
    """
    is_person_here = caller.is_terminal and not agent_marker(caller.env)
    if not caller.as_principal:
        if is_person_here:
            return Actor(Principal(PrincipalKind.USER, login_name(caller.env)), Channel.TERMINAL)
        return Actor(_agent_from(caller.env), Channel.AGENT)
    try:
        principal = Principal.parse(caller.as_principal)
    except ValueError as error:
        raise UsageError(str(error), hint="for instance --as agent:claude") from error
    if not kept_name(principal.name):
        raise UsageError("expected a name, got what looks like a secret", hint="change it")
    match principal.kind:
        case PrincipalKind.AGENT:
            return Actor(principal, Channel.AGENT)
        case PrincipalKind.TOOL:
            return Actor(principal, Channel.TOOL)
        case PrincipalKind.SYSTEM:
            raise UsageError("expected a user, an agent or a tool, got memfs itself")
        case PrincipalKind.USER:
            if is_person_here:
                return Actor(principal, Channel.TERMINAL)
            return _scripted(principal, caller, trust)


def _scripted(principal: Principal, caller: Caller, trust: TrustSettings) -> Actor:
    if str(principal) not in trust.scripted:
        raise NotTrustedError(
            f"expected a person at a terminal, got a script that says it is {principal}",
            hint="a store made with memfs init --scripted names who scripts may act for",
        )
    if not caller.yes:
        raise NotTrustedError(
            f"a script that acts for {principal} must say --yes",
            hint="add --yes, or run the command in a terminal",
        )
    return Actor(principal, Channel.SCRIPTED)


def require_forms(actor: Actor, trust: TrustSettings) -> None:
    """Lets a person act through a form only where the settings take such an answer.

    Raises:
        NotTrustedError: They do not.
    """
    if actor.channel is Channel.FORM and not trust.forms:
        raise NotTrustedError(
            "expected a person at a terminal, got an answer in a form",
            hint="this store has forms: false under trust in memfs.yaml; use a terminal",
            code="access.no-forms",
        )


def calling_agent(env: Mapping[str, str], client_name: str) -> Actor:
    """Returns who calls through a protocol: named by the environment, or else by the client."""
    called = _plain(client_name)
    if called and not _plain(env.get(AGENT, "")):
        return Actor(Principal(PrincipalKind.AGENT, called), Channel.AGENT)
    return Actor(_agent_from(env), Channel.AGENT)


def agent_marker(env: Mapping[str, str]) -> str:
    """Returns the first agent marker that is set, or an empty string."""
    return next((name for name in AGENT_MARKERS if env.get(name)), "")


def _agent_from(env: Mapping[str, str]) -> Principal:
    named = _plain(env.get(AGENT, ""))
    if named:
        return Principal(PrincipalKind.AGENT, named)
    marker = agent_marker(env)
    if marker:
        return Principal(PrincipalKind.AGENT, marker.split("_")[0].lower())
    return _UNNAMED_AGENT


def login_name(env: Mapping[str, str]) -> str:
    """Returns the name of the account as a principal's name."""
    try:
        name = env.get("USER") or env.get("LOGNAME") or getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return _plain(name) or "owner"


def _plain(name: str) -> str:
    return kept_name(re.sub(r"[^A-Za-z0-9._@+-]+", "-", name).strip("-._@+")[:64])


def kept_name(name: str) -> str:
    """Returns a name that may stand in every commit; empty for one that holds a secret (A19)."""
    if len(name) < _LONG:
        return name
    from memfs.policy.secrets import scan_secrets  # hardly any name is long enough

    return "" if scan_secrets(name) else name
