"""What is installed for each coding agent, and where: one function a client.

The places and shapes are the clients' own contracts. A client has two scopes: one project, in
files that may be shared with a team, and the user, in the home folder, for every project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from memfs.agents.clients import client_named
from memfs.agents.contract import EventKind
from memfs.agents.install.calls import HOOK
from memfs.agents.install.config_files import NEW_MODE, PRIVATE_MODE
from memfs.agents.install.json_hooks import Hook, JsonHooks
from memfs.agents.install.json_servers import JsonServer
from memfs.agents.install.marked_text import MarkdownBlock, OwnFile
from memfs.agents.install.shelf import InstallScope, Material, Places, Recipe, Target
from memfs.agents.install.texts import Part
from memfs.agents.install.toml_server import TomlServer

CLIENTS: Final = ("claude", "codex", "cursor", "gemini", "antigravity", "opencode")

_KINDS: Final = (
    EventKind.SESSION_START,
    EventKind.PROMPT,
    EventKind.STOP,
    EventKind.PRE_COMPACT,
    EventKind.POST_COMPACT,
    EventKind.SESSION_END,
)
"""What memfs listens to; a call for each use of a tool would be too many."""
_PLUGIN_PROGRAM: Final = re.compile(r'^const PROGRAM = ("[^"\n]*");$', re.M)
_SECONDS: Final = 10
_CODEX_END_SECONDS: Final = 3
"""Codex allows no more for the end of a session and warns about more."""


def recipe(client: str, scope: InstallScope, places: Places, material: Material) -> Recipe:
    """Returns what is installed for a client, one of :data:`CLIENTS`."""
    return _RECIPES[client](scope, places, material)


def _claude(scope: InstallScope, places: Places, material: Material) -> Recipe:
    own = places.folder("CLAUDE_CONFIG_DIR", places.home / ".claude")
    is_moved = own != places.home / ".claude"
    is_user = scope is InstallScope.USER
    folder = own if is_user else places.project / ".claude"
    hooks = JsonHooks(
        hooks=_hooks("claude", dict.fromkeys(_KINDS, _SECONDS)),
        program=material.program,
        is_split=True,
        handler=MappingProxyType({"type": "command"}),
        switches=MappingProxyType({("disableAllHooks",): True}),
    )
    server = JsonServer(
        program=material.program, base="mcpServers", more=MappingProxyType({"type": "stdio"})
    )
    if is_user:
        servers = (own if is_moved else places.home) / ".claude.json"
        texts = folder / "CLAUDE.md"
        also: tuple[Target, ...] = ()
    else:
        servers = places.project / ".mcp.json"
        texts = _claude_text(places.project)
        also = (Target(path=folder / "settings.local.json", editor=hooks),)
        if texts.name != "CLAUDE.md":
            text = places.project / "CLAUDE.md"
            also += (Target(path=text, editor=MarkdownBlock(body=material.instructions)),)
    return Recipe(
        client="claude",
        scope=scope,
        targets=(
            Target(path=folder / "settings.json", editor=hooks),
            Target(path=servers, editor=server, mode=PRIVATE_MODE if is_user else NEW_MODE),
            Target(
                path=texts,
                editor=MarkdownBlock(body=material.instructions),
                is_shared=texts.name != "CLAUDE.md",
            ),
            Target(path=folder / "skills" / "memfs" / "SKILL.md", editor=_skill(material)),
        ),
        also=also,
        notes=() if is_user else ("Claude Code asks once before it starts a project's server",),
    )


def _claude_text(project: Path) -> Path:
    """Returns where Claude Code's instructions stand: what CLAUDE.md includes, if it does.

    A block in both would be read twice.
    """
    text = _first((project / "CLAUDE.md", project / ".claude" / "CLAUDE.md"))
    try:
        lines = text.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return text
    is_included = any(line.strip() in ("@AGENTS.md", "@./AGENTS.md") for line in lines)
    return project / "AGENTS.md" if is_included and text.parent == project else text


def _codex(scope: InstallScope, places: Places, material: Material) -> Recipe:
    is_user = scope is InstallScope.USER
    own = places.folder("CODEX_HOME", places.home / ".codex")
    folder = own if is_user else places.project / ".codex"
    seconds = dict.fromkeys(_KINDS, _SECONDS) | {EventKind.SESSION_END: _CODEX_END_SECONDS}
    hooks = JsonHooks(
        hooks=_hooks("codex", seconds),
        program=material.program,
        handler=MappingProxyType({"type": "command"}),
    )
    trust = "Codex skips new hooks without a word until they are trusted: open /hooks in Codex"
    project = "Codex reads a project's .codex folder only where the project is trusted"
    return Recipe(
        client="codex",
        scope=scope,
        targets=(
            Target(path=folder / "hooks.json", editor=hooks),
            Target(path=folder / "config.toml", editor=TomlServer(program=material.program)),
            Target(
                path=(folder if is_user else places.project) / "AGENTS.md",
                editor=MarkdownBlock(body=material.instructions),
                is_shared=not is_user,
            ),
            _shared_skill(places.home if is_user else places.project, material),
        ),
        notes=(trust,) if is_user else (trust, project),
    )


def _cursor(scope: InstallScope, places: Places, material: Material) -> Recipe:
    is_user = scope is InstallScope.USER
    folder = (places.home if is_user else places.project) / ".cursor"
    hooks = JsonHooks(
        hooks=_hooks("cursor", {}),
        program=material.program,
        is_grouped=False,
        head=MappingProxyType({"version": 1}),
    )
    server = JsonServer(
        program=material.program, base="mcpServers", more=MappingProxyType({"type": "stdio"})
    )
    rule = OwnFile(
        body=material.rule + material.instructions, comment=_markup, what=Part.INSTRUCTIONS
    )
    targets = (
        Target(path=folder / "hooks.json", editor=hooks),
        Target(path=folder / "mcp.json", editor=server),
    )
    if is_user:
        note = "Cursor keeps rules for every project in its own settings, not in a file"
        return Recipe(client="cursor", scope=scope, targets=targets, notes=(note,))
    texts = Target(path=folder / "rules" / "memfs.mdc", editor=rule)
    agents = Target(
        path=places.project / "AGENTS.md",
        editor=MarkdownBlock(body=material.instructions),
        is_shared=True,
    )
    return Recipe(client="cursor", scope=scope, targets=(*targets, texts), also=(agents,))


def _gemini(scope: InstallScope, places: Places, material: Material) -> Recipe:
    is_user = scope is InstallScope.USER
    folder = (places.home if is_user else places.project) / ".gemini"
    hooks = JsonHooks(
        hooks=_hooks("gemini", dict.fromkeys(_KINDS, _SECONDS * 1000)),
        program=material.program,
        handler=MappingProxyType({"name": "memfs", "type": "command"}),
        switches=MappingProxyType({("hooksConfig", "enabled"): False}),
    )
    server = JsonServer(program=material.program, base="mcpServers", more=MappingProxyType({}))
    texts = (folder if is_user else places.project) / "GEMINI.md"
    return Recipe(
        client="gemini",
        scope=scope,
        targets=(
            Target(path=folder / "settings.json", editor=hooks),
            Target(path=folder / "settings.json", editor=server),
            Target(
                path=texts,
                editor=MarkdownBlock(body=material.instructions),
                is_shared=is_user,
            ),
            _shared_skill(places.home if is_user else places.project, material),
        ),
        notes=("Gemini CLI starts hooks and servers only in folders that it trusts",),
    )


def _antigravity(scope: InstallScope, places: Places, material: Material) -> Recipe:
    is_user = scope is InstallScope.USER
    gemini = places.home / ".gemini"
    folder = gemini / "config" if is_user else places.project / ".agents"
    hooks = JsonHooks(
        hooks=_hooks("antigravity", dict.fromkeys(_KINDS, _SECONDS)),
        program=material.program,
        base=("memfs",),
        is_grouped=False,
        is_strict=True,
        handler=MappingProxyType({"type": "command"}),
        switches=MappingProxyType({("memfs", "enabled"): False}),
    )
    server = JsonServer(
        program=material.program, base="mcpServers", more=MappingProxyType({}), is_strict=True
    )
    texts = gemini / "GEMINI.md" if is_user else places.project / "AGENTS.md"
    skill = gemini / "skills" / "memfs" / "SKILL.md"
    return Recipe(
        client="antigravity",
        scope=scope,
        targets=(
            Target(path=folder / "hooks.json", editor=hooks),
            Target(path=folder / "mcp_config.json", editor=server),
            Target(path=texts, editor=MarkdownBlock(body=material.instructions), is_shared=True),
            Target(path=skill, editor=_skill(material), is_shared=True)
            if is_user
            else _shared_skill(places.project, material),
        ),
    )


def _opencode(scope: InstallScope, places: Places, material: Material) -> Recipe:
    is_user = scope is InstallScope.USER
    xdg = places.folder("XDG_CONFIG_HOME", places.home / ".config")
    own = places.folder("OPENCODE_CONFIG_DIR", xdg / "opencode")
    folder = own if is_user else places.project / ".opencode"
    settings = own if is_user else places.project
    server = JsonServer(
        program=material.program,
        base="mcp",
        more=MappingProxyType({"type": "local", "enabled": True}),
        is_list=True,
    )
    plugin = OwnFile(
        body=material.plugin, comment=_slashes, what=Part.PLUGIN, call=_called_by_plugin
    )
    return Recipe(
        client="opencode",
        scope=scope,
        targets=(
            Target(path=folder / "plugins" / "memfs.js", editor=plugin),
            Target(
                path=_first((settings / "opencode.json", settings / "opencode.jsonc")),
                editor=server,
            ),
            Target(
                path=settings / "AGENTS.md",
                editor=MarkdownBlock(body=material.instructions),
                is_shared=not is_user,
            ),
            _shared_skill(places.home if is_user else places.project, material),
        ),
        notes=("OpenCode loads plugins when it starts",),
    )


def _called_by_plugin(text: str) -> tuple[str, ...]:
    """Returns a command that the plugin of OpenCode runs; nothing where it names no program."""
    found = _PLUGIN_PROGRAM.search(text)
    try:
        program = str(json.loads(found[1])) if found is not None else ""
    except ValueError:
        program = ""
    words = (program, HOOK, str(EventKind.SESSION_START), "--client", "opencode")
    return words if program else ()


def _hooks(client: str, timeouts: Mapping[EventKind, int]) -> tuple[Hook, ...]:
    """Returns what memfs listens to in a client, by the client's own names."""
    known = client_named(client)
    assert known is not None
    return tuple(
        Hook(
            event=known.own_name(kind),
            arguments=(HOOK, str(kind), "--client", client),
            timeout=timeouts.get(kind, 0),
        )
        for kind in _KINDS
        if known.own_name(kind)
    )


def _skill(material: Material) -> OwnFile:
    return OwnFile(body=material.skill, comment=_markup, what=Part.SKILL)


def _shared_skill(base: Path, material: Material) -> Target:
    path = base / ".agents" / "skills" / "memfs" / "SKILL.md"
    return Target(path=path, editor=_skill(material), is_shared=True)


def _first(paths: tuple[Path, ...]) -> Path:
    """Returns the first path that is there, or the first."""
    return next((path for path in paths if path.exists()), paths[0])


def _markup(text: str) -> str:
    return f"<!-- {text} -->"


def _slashes(text: str) -> str:
    return f"// {text}"


_RECIPES: Final[Mapping[str, Callable[[InstallScope, Places, Material], Recipe]]] = (
    MappingProxyType(
        {
            "claude": _claude,
            "codex": _codex,
            "cursor": _cursor,
            "gemini": _gemini,
            "antigravity": _antigravity,
            "opencode": _opencode,
        }
    )
)
