"""`stacksim report`: its measurements and parameters, its printed result, and its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.cli import console, measured
from sim.cli.options import takes_output
from sim.data import fitted as fits
from sim.data.dataset import Dataset
from sim.engine.errors import InputError
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from sim.prediction.report import report
from sim.system.installed import find, in_file
from sim.system.stack.hardware import with_hardware
from sim.system.system import System
from sim.system.what_if import set_values, with_set


@dataclass(frozen=True)
class OfSystem:
    """The system of the figures, and its changes, as typed."""

    name: str | None
    fitted: Path | None
    set_: list[str]
    hardware: list[str]


def command(
    words: Sequence[str],
    of_system: OfSystem,
    options: RunOptions,
    html: Path | None,
    *,
    cells: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Predict measured figures, and print both. All errors of input are raised before the long work begins."""
    silent = takes_output(html, as_json=as_json)
    datasets, changed = (_own if of_system.name else _published)(words, of_system)
    if html:
        from sim.output import html as page  # lazily: a template engine, and pictures

        check_target("page", html, page.FORMATS, or_standard_output=True)
    console.compilation(options, quiet=quiet)
    called = "measured" if of_system.name else "published"
    with console.count_done(f"simulating {called} figures", quiet=quiet) as progress:
        compared = report(datasets, options, progress, refitted=changed)
    if html:
        page.write(compared, datasets, options, html, refitted=changed)
    if as_json:
        console.out_json(compared.record())
    elif not silent:
        from sim.cli import show  # lazily: JSON does without rich

        show.print_report(compared, cells=cells)


def _own(words: Sequence[str], of_system: OfSystem) -> tuple[list[Dataset], System]:
    """The user's own measurements of a system, and the system with its changes."""
    system = find(str(of_system.name))
    system, datasets = measured.held_against(words, system)
    if of_system.fitted is not None:
        system = fits.refitted(system, of_system.fitted, datasets)
    if of_system.hardware:
        system = with_hardware(system, of_system.hardware)
        datasets = [
            each.model_copy(update={"system": system.name}) for each in datasets
        ]  # what they are compared with
    return datasets, with_set(system, set_values(of_system.set_))


def _published(words: Sequence[str], of_system: OfSystem) -> tuple[list[Dataset], System | None]:
    """The named datasets, and the system of the fit, which must belong to one of them."""
    datasets, fitted = measured.published(words), of_system.fitted
    if of_system.set_ or of_system.hardware:
        what = "--set changes a parameter" if of_system.set_ else "--hardware names a layer"
        raise InputError(f"{what} of one system; give --system SYSTEM and a file of your own, too")
    if fitted is None:
        return datasets, None
    brought = next((each.system for each in datasets if in_file(each.system)), None)
    if brought:  # a system in a folder, which has no installed name
        return datasets, fits.refitted(find(brought), fitted, datasets)
    system = fits.system_of(fitted)
    if system.name not in {each.system for each in datasets}:
        raise InputError(f"{fitted} is a fit of system '{system.name}', of which no dataset is given; give one")
    return datasets, system
