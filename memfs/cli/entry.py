"""The entry point of the command: the one place that turns errors into exit numbers."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NoReturn, TextIO

import click

from memfs import __version__
from memfs.cli.group import LazyGroup
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, say_error
from memfs.errors import MemfsError, UsageError

# Objects made before the collector looks; imports alone make tens of thousands.
_GARBAGE_THRESHOLD: Final = 200_000

EXIT_REFUSED: Final = 1
EXIT_USAGE: Final = 2
EXIT_BUG: Final = 3
EXIT_INTERRUPTED: Final = 130


class SystemRefusedError(MemfsError):
    """The machine refused: a full disk behind stdout, a folder that may not be read."""

    code = "system.refused"
    exit_status = EXIT_REFUSED


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
    epilog="Run 'memfs COMMAND --help' for one command. Every command takes --json.",
)
@click.version_option(__version__, "-V", "--version", message="memfs %(version)s")
@shared_options
def root(invocation: Invocation) -> int:
    """Keep long-term memory for coding agents and people: plain files in Git.

    A store is a folder of records, one file a claim. Git is its ledger. What agents
    want to remember waits in an inbox until a person accepts it.
    """
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    return 0


def run() -> NoReturn:
    """Runs the process's command line and ends the process.

    What had to be closed is closed when :func:`main` returns. Taking the interpreter apart
    object by object would cost a prompt hook more than finding the answer does, and so
    would collecting garbage among modules that stay.
    """
    gc.set_threshold(_GARBAGE_THRESHOLD)
    _open_missing_streams()
    status = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(status)


def _open_missing_streams() -> None:
    """Stands the null device in for each standard stream that was closed (``memfs list <&-``).

    In this order each gets its own descriptor back, so that no file of the store becomes
    what a child process or a stray line writes to.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit number; never raises.

    Args:
        arguments: Without the program name; ``sys.argv`` by default.
    """
    args = list(sys.argv[1:] if arguments is None else arguments)
    _make_tolerant(sys.stdout)
    _make_tolerant(sys.stderr)
    try:
        status = root.main(args=args, prog_name="memfs", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        if "--json" in args:
            say_error(UsageError(error.format_message()), is_json=True)
        else:
            error.show()
        return EXIT_USAGE
    except (KeyboardInterrupt, click.Abort):
        say("interrupted")
        return EXIT_INTERRUPTED
    except MemfsError as error:
        say_error(error, is_json="--json" in args)
        return error.exit_status
    except BrokenPipeError:
        # The reader left (``memfs list | head``). What was to be written is written;
        # stdout goes nowhere now, so that the interpreter's last flush stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # The machine refused (a full disk behind stdout, a folder that may not be read): no
        # bug of ours, and nothing that a report could add to.
        return _report_refusal(error, is_json="--json" in args)
    except UnicodeEncodeError as error:
        # What a shell hands over as bytes that are no UTF-8 can be neither kept nor looked up.
        if all(map(_is_utf8, args)):
            return _report_bug(error, is_json="--json" in args)
        say_error(UsageError("expected words in UTF-8, got other bytes"), is_json="--json" in args)
        return EXIT_USAGE
    except Exception as error:  # noqa: BLE001  the one broad handler of this entry point
        return _report_bug(error, is_json="--json" in args)
    return status if isinstance(status, int) else 0


def _report_refusal(error: OSError, *, is_json: bool) -> int:
    """Reports what the machine refused, on stderr when it is stdout that it refuses."""
    refusal = SystemRefusedError(error.strerror or str(error), path=str(error.filename or ""))
    try:
        say_error(refusal, is_json=is_json)
        sys.stdout.flush()
    except OSError:
        say_error(refusal, is_json=False)
    return refusal.exit_status


def _make_tolerant(stream: TextIO) -> None:
    """Shows what the terminal's encoding cannot say as escapes, instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


class BugError(MemfsError):
    """A fault of memfs itself; what is known of it is in a report."""

    code = "memfs.bug"
    exit_status = EXIT_BUG


def _report_bug(error: Exception, *, is_json: bool) -> int:
    """Writes a report without any content: the frames and the type of the error."""
    if os.environ.get("MEMFS_DEBUG"):
        import traceback

        traceback.print_exception(error)
        return EXIT_BUG
    from memfs.cli.bug_report import write_report

    place = write_report(error)
    hint = "" if place is None else f"the report is in {place}; it names code, never content"
    bug = BugError(f"{type(error).__name__} where none was expected", hint=hint)
    # Where stdout itself is what failed, stderr still tells.
    with suppress(OSError):
        say_error(bug, is_json=is_json)
    return EXIT_BUG
