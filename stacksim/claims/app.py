"""The command ``stacksim claim`` and its arguments; its work is loaded when it is called."""

# Annotations are no texts here: typer would read those of all commands whenever one is called.

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.group import alone
from sim.cli.options import AsJson, Engine, Precision, Quiet, Seed, file_name, options_of, schema_of
from sim.engine.errors import InputError


def judge_claims(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", parser=file_name, help="claims, a .toml file, such as --ask writes"),
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="write a file of claims from answers to questions")] = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=file_name, help="with --ask: write it into this .toml file, or -"),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="exit status 1 if a claim is contradictory, impossible or implausible")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", parser=file_name, help="write a page to forward into this .html file, or -"),
    ] = None,
    engine: Engine = "auto",
    precision: Precision = "2%",
    seed: Seed = "1",
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("stacksim.claims.record:ClaimsRecord")] = False,
    quiet: Quiet = False,
) -> None:
    """Check performance claims against arithmetic, hardware limits and models, and say what to ask."""
    options = options_of(engine, precision, seed)
    if ask:
        from stacksim.claims import ask as asking  # lazily: loads its readers

        if path or check or html or as_json:
            raise InputError("--ask makes a file of claims; leave FILE, --check, --html and --json out")
        asking.command(output)
        return
    from stacksim.claims import command  # lazily: loads the views that it prints

    if path is None:
        raise InputError("no file of claims is given; name a .toml file, or make one with --ask")
    if output:
        raise InputError("--output is for --ask; leave it out, or write a page with --html PAGE.html")
    if status := command.command(path, options, command.Targets(html, as_json, check), quiet=quiet):
        raise typer.Exit(status)


app = alone("claim", judge_claims)
