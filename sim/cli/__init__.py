"""The command ``stacksim``: every error is one line on standard error, with exit status 2."""

from __future__ import annotations

import sys

from typer import Abort, TyperException, echo

from sim.cli.app import app
from sim.errors import StacksimError

_INTERRUPTED = 130
"""Exit status after the interrupt key, as shells have it."""


def main() -> None:
    """Run the command and leave with its exit status."""
    try:
        status = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except StacksimError as error:
        _fail(str(error))
    except TyperException as error:
        _fail(getattr(error, "format_message", error.__str__)())
    except (Abort, KeyboardInterrupt):
        status = _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away, as `head` does; there is nobody to tell
        sys.exit(141)
    if status == _INTERRUPTED:  # typer hands the interrupt key on in this way
        echo("stacksim: interrupted; what was not finished is not written", err=True)
    sys.exit(status)


def _fail(message: str) -> None:
    echo(f"stacksim: {' '.join(message.split())}", err=True)
    sys.exit(2)
