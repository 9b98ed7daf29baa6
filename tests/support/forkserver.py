"""Starts ``memfs`` by forking an interpreter that has imported it already.

A command takes a third of a second to start and a few milliseconds to run. Each is still a
process of its own, with its own folder, environment, streams and end; only what is the same every
time, importing, is done once for a whole run of the suite. Tests about starting (imports, closed
streams, signals, kills) start the real thing instead.
"""

from __future__ import annotations

import array
import atexit
import gc
import io
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

_STATUS = struct.Struct("!i")
_PRELOADED = (
    "memfs.cli.entry",
    "memfs.app.container",
    "memfs.reconcile.reconciler",
    "memfs.reconcile.projecting",
    "memfs.services.federation",
    "memfs.services.compile_context",
    "memfs.services.review",
    "memfs.services.propose",
    "memfs.services.door",
    "memfs.formats.record_models",
    "memfs.index.search",
    "whoosh.index",
    "pydantic",
    "ruamel.yaml",
    "frontmatter",
    "git",
    "detect_secrets.core.plugins",
    "glyphguard",
    "sqlite3",
)
CLIENT = """#!{python} -IS
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.connect({address!r})
    said = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    held = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
    link.sendmsg([len(said).to_bytes(4, "big")], held)
    link.sendall(said)
    got = b""
    while len(got) < 4:
        piece = link.recv(4 - len(got))
        if not piece:
            sys.exit(3)
        got += piece
sys.exit(int.from_bytes(got, "big", signed=True) & 255)
"""
"""The program that stands for ``memfs`` in a shell: hands its streams on and waits."""


@cache
def server() -> str:
    """Returns the address of this process's server, which ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="memfs-fork-", dir="/tmp"))
    address = folder / "socket"
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forkserver", str(address), str(reading)],
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        pass_fds=(reading,),
    )
    os.close(reading)
    assert process.stdout is not None
    ready = process.stdout.readline()
    process.stdout.close()
    if ready != b"ready\n":
        raise RuntimeError("the fork server did not start")

    def end() -> None:
        os.close(writing)
        process.wait()
        address.unlink(missing_ok=True)
        folder.rmdir()

    atexit.register(end)
    return str(address)


def ended_with(
    arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], streams: tuple[int, int, int]
) -> int:
    """Runs one command with these three streams and returns its exit status."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(server())
        said = json.dumps([list(arguments), str(cwd), dict(env)]).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))]
        link.sendmsg([len(said).to_bytes(4, "big")], rights)
        link.sendall(said)
        return int(_STATUS.unpack(_exactly(link, _STATUS.size))[0])


def serve(address: str, alive: int) -> NoReturn:
    """Answers until whoever started it is gone."""
    for name in _PRELOADED:
        __import__(name)
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            ready, _, _ = select.select([door.fileno(), alive], [], [])
            if alive in ready:
                os._exit(0)
            link, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                door.close()
                os.close(alive)
                _answer(link)
            link.close()


def _answer(link: socket.socket) -> NoReturn:
    """Runs one command in a child of its own, and tells how it ended."""
    size, rights, _, _ = link.recvmsg(4, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    streams = array.array("i")
    streams.frombytes(rights[0][2])
    length = int.from_bytes(size + _exactly(link, 4 - len(size)), "big")
    arguments, folder, env = json.loads(_exactly(link, length))
    child = os.fork()
    if child == 0:
        link.close()
        _run(arguments, folder, env, streams)
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    link.sendall(_STATUS.pack(code if code >= 0 else 128 - code))
    os._exit(0)


def _run(
    arguments: Sequence[str], folder: str, env: Mapping[str, str], streams: Sequence[int]
) -> NoReturn:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        if stream > 2:
            os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["memfs", *arguments]
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115
    sys.stdout = _stream(1, errors="strict")
    sys.stderr = _stream(2, errors="backslashreplace")
    from memfs.cli.entry import run

    run()


def _stream(number: int, *, errors: str) -> io.TextIOWrapper:
    raw = open(number, "wb", closefd=False)  # noqa: SIM115
    is_line_by_line = number == 2 or os.isatty(number)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=is_line_by_line)


def _exactly(link: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        piece = link.recv(size - len(received))
        if not piece:
            raise ConnectionError("the other side has left")
        received += piece
    return received


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
