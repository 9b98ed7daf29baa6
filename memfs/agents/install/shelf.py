"""What an installation is made of: whose files, what goes into them, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memfs.agents.install.config_files import NEW_MODE
from memfs.agents.install.texts import Editor


class InstallScope(StrEnum):
    """For whom something is installed."""

    PROJECT = "project"
    USER = "user"

    @property
    def other(self) -> InstallScope:
        """The other one."""
        return InstallScope.USER if self is InstallScope.PROJECT else InstallScope.PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the clients of one account and one project keep their files.

    Attributes:
        home: Home folder of the account.
        project: Root of the project.
        env: The environment; clients have variables that move their folders.
    """

    home: Path
    project: Path
    env: Mapping[str, str]

    def folder(self, variable: str, otherwise: Path) -> Path:
        """Returns the folder that a variable names, or where it is without one."""
        named = self.env.get(variable, "")
        return Path(named) if named and Path(named).is_absolute() else otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is written.

    Attributes:
        program: What runs memfs.
        instructions: The block for agents.
        skill: The skill.
        rule: The head of a rule of Cursor's.
        plugin: The plugin of OpenCode, with its program in it.
    """

    program: str
    instructions: str
    skill: str
    rule: str
    plugin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One file with what goes into it.

    Attributes:
        path: Absolute.
        editor: Puts it in and takes it out.
        is_shared: Other clients read the same file.
        mode: Access rights of the file where it is new.
    """

    path: Path
    editor: Editor
    is_shared: bool = False
    mode: int = NEW_MODE


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that is installed for one client in one scope.

    Attributes:
        client: Its name.
        scope: For whom.
        targets: In the order in which they are written.
        also: Files that the client reads too, in which memfs never installs but may be found.
        notes: What a person has to do or know, as sentences.
    """

    client: str
    scope: InstallScope
    targets: tuple[Target, ...]
    also: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()
