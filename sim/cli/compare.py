"""`stacksim compare A B`: each side in quotes, like the arguments of `predict`; words outside apply to both."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.cli import console
from sim.cli.options import takes_output
from sim.decision.compare import compare, naming
from sim.decision.comparison_record import record
from sim.engine.errors import InputError, shown
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.output.pictures.style import FORMATS, save
from sim.system.case import Case
from sim.system.settings import pairs
from sim.system.system import System

Choose = Callable[[str, Path | None, list[str], list[str]], System]
"""Function from a name, a fit's file, set parameters and hardware to a system."""

_OPTIONS = ("--set", "--hardware", "--fitted")
"""Options allowed inside the quotes."""


@dataclass(frozen=True)
class Words:
    """Arguments for one side, or for both."""

    settings: Sequence[str]
    set_: Sequence[str]
    hardware: Sequence[str]
    fitted: Path | None


def command(
    sides: tuple[str, str],
    both: Words,
    options: RunOptions,
    choose: Choose,
    picture: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Parse both sides, simulate them, and print or draw their differences."""
    silent = takes_output(picture, as_json=as_json)
    if picture:
        check_target("picture", picture, FORMATS, or_standard_output=True)
    cases = [_case(name, text, both, choose) for name, text in zip("AB", sides, strict=True)]
    console.compilation(options, quiet=quiet)
    with console.share_done("simulating", quiet=quiet) as progress:
        comparison = compare(cases[0], cases[1], options, progress)
    if picture:
        from sim.output.pictures.comparison import figure  # lazily: Matplotlib

        save(figure(comparison), picture)
    if as_json:
        console.out_json(record(comparison))
    elif not silent:
        from sim.output.views.comparison import parts  # lazily: JSON does without rich

        console.out_parts(parts(comparison))


def _case(name: str, text: str, both: Words, choose: Choose) -> Case:
    with naming(name):
        system, own = _read(text)
        if own.fitted and both.fitted:
            raise InputError("--fitted is given for this side and for both; give it once")
        set_, hardware = [*own.set_, *both.set_], [*own.hardware, *both.hardware]
        chosen = choose(system, own.fitted or both.fitted, set_, hardware)
        return Case.of(chosen, pairs([*own.settings, *both.settings]))


def _read(text: str) -> tuple[str, Words]:
    """Name of a system, and the words after it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"'{shown(text)}' cannot be read: {str(error).lower()}; close every quote") from error
    if not words or "=" in words[0] or words[0].startswith("-"):
        raise InputError(
            f"'{shown(text)}' names no system; put each side into quotes, such as "
            'stacksim compare "dbfs cells=3" "dbfs cells=7" users=8'
        )
    settings: list[str] = []
    options: dict[str, list[str]] = {option: [] for option in _OPTIONS}
    rest = iter(words[1:])
    for word in rest:
        option, equals, value = word.partition("=")
        if not word.startswith("-"):
            settings.append(word)
        elif option in _OPTIONS:
            options[option].append(value if equals else next(rest, ""))
        else:
            raise InputError(
                f"'{shown(word)}' is no option of one side; allowed: {', '.join(_OPTIONS)}; "
                "put others outside the quotes"
            )
    return words[0], Words(settings, options["--set"], options["--hardware"], _file(options["--fitted"]))


def _file(names: Sequence[str]) -> Path | None:
    if "" in names:
        raise InputError("--fitted names no file; write --fitted FILE")
    if len(names) > 1:
        raise InputError(f"--fitted is given {len(names)} times; give it once")
    return Path(names[0]) if names else None
