"""Puts another mode in force: one decided commit that changes one line of ``memfs.yaml``."""

from __future__ import annotations

from memfs.errors import AccessError, ConflictError
from memfs.formats.settings import decode_settings
from memfs.formats.settings_edit import with_mode
from memfs.model.operation import FileChange, OperationKind
from memfs.model.origin import Actor
from memfs.model.settings import Mode
from memfs.policy.administration import decide_settings_change
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.store.layout import SETTINGS_PATH
from memfs.store.snapshot import Snapshot


class SettingsHeldError(ConflictError):
    """A commit made by hand changed the settings and waits for a decision."""

    code = "conflict.settings-held"


def put_mode(workspace: Workspace, mode: Mode, actor: Actor) -> bool:
    """Puts ``mode`` in force; what else the settings say, and how, stays as it is.

    An edit of the settings that waits in the working tree is left there.

    Returns:
        Whether anything was written; ``False`` where the mode is in force already.

    Raises:
        AccessError: Only a person changes settings.
        SettingsHeldError: The settings wait for a decision.
        SettingsLayoutError: The text is laid out so that the line cannot be replaced.
    """

    def decide_on(snapshot: Snapshot) -> Decided[bool]:
        decision = decide_settings_change(actor, workspace.settings)
        if not decision.is_admitted:
            first = decision.reasons[0]
            raise AccessError(first.message, code=first.code)
        content, tip = snapshot.read(SETTINGS_PATH) or b"", snapshot.raw_entry(SETTINGS_PATH)
        if decode_settings(content, path=SETTINGS_PATH).mode is mode:
            return Decided(False)
        if tip is None or snapshot.read_blob(tip.blob) != content:
            raise SettingsHeldError(
                "expected settings that nothing waits on, got a commit made by hand",
                path=SETTINGS_PATH,
                hint="decide on it first: memfs review",
            )
        change = FileChange(
            path=SETTINGS_PATH,
            content=with_mode(content, mode, path=SETTINGS_PATH),
            expected=tip.blob,
            decision=decision,
        )
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.SETTINGS,
            actor=actor,
            drafts=(),
            subject=f"mode: {mode}",
            extra=(change,),
        )
        return Decided(True, plan)

    return commit_decided(workspace, decide_on).outcome
