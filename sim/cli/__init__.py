"""The command ``stacksim``: every error is one line on standard error, with exit status 2."""

from __future__ import annotations

import sys

from typer import Abort, Exit, TyperException, echo

from sim.cli.app import app
from sim.errors import StacksimError


def main() -> None:
    """Run the command and leave with its exit status."""
    try:
        app(standalone_mode=False)
    except StacksimError as error:
        _fail(str(error))
    except TyperException as error:
        _fail(getattr(error, "format_message", error.__str__)())
    except Exit as stop:
        sys.exit(stop.exit_code)
    except (Abort, KeyboardInterrupt):
        echo("stacksim: interrupted; nothing was written", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away, as `head` does; there is nobody to tell
        sys.exit(141)


def _fail(message: str) -> None:
    echo(f"stacksim: {' '.join(message.split())}", err=True)
    sys.exit(2)
