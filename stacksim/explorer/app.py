"""The command ``stacksim explore`` and its arguments; its work is loaded when it is called."""

# Annotations are no texts here: typer would read those of all commands whenever one is called.

from typing import Annotated

import typer

from sim.cli.group import alone
from sim.cli.options import FittedFile, system_names, whole_from


def explore_system(
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="SYSTEM|FILE.toml",
            help="what the page shows first; a stack file is read again when it changes",
            autocompletion=system_names,
        ),
    ] = None,
    port: Annotated[str, typer.Option(metavar="NUMBER", help="port to listen on; 0: any that is free")] = "0",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="address to listen on; by default, only this machine can open the page"
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="print the address of the page; do not open it")
    ] = False,
    fitted: FittedFile = None,
) -> None:
    """Open a page with sliders in the browser: move settings, see the answer, compare two designs."""
    from stacksim.explorer import command  # lazily: a server

    command.command(system, fitted, host, whole_from("port", port, 0), browser=not no_browser)


app = alone("explore", explore_system)
