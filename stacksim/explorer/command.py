"""`stacksim explore`: serve the page until it is stopped."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

from sim.cli import console
from sim.cli.signals import expected
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from stacksim.explorer.api import Api
from stacksim.explorer.server import Server

MOST_PORTS = 65535


def command(given: str | None, fitted: Path | None, host: str, port: int, *, browser: bool) -> None:
    """Serve the page, print its address, and open it."""
    if fitted and not given:
        raise InputError(f"--fitted {fitted} is a fit of one system; name it: stacksim explore SYSTEM --fitted …")
    if port > MOST_PORTS:
        raise InputError(f"port is '{port}'; allowed: a whole number from 0 to {MOST_PORTS}")
    console.compilation(RunOptions())
    with Server(Api(given, fitted), host, port) as server:
        console.out(f"explore at {server.url}  (the interrupt key, Ctrl-C, ends it)")
        sys.stdout.flush()  # for a reader through a pipe
        if browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            expected()
            console.tell("the explorer has ended")
