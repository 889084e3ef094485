"""Fitted parameters as a file: written whole by a fit, read by systems, and checked for what it was fitted to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sim.data import Dataset
from sim.errors import InputError
from sim.files import write_atomically
from sim.parameters import Parameters
from sim.system import System


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="forbid")


class FittedValue(_Frozen):
    """One fitted parameter: value and 95 % interval in its unit, and whether the data left it at its prior."""

    value: float
    low: float
    high: float
    at_prior: bool


class Errors(_Frozen):
    """Absolute errors over some figures, as shares."""

    figures: int
    mean: float
    median: float
    worst: float


class Comparison(_Frozen):
    """Errors of the system and of each baseline, over the same figures."""

    system: Errors
    baselines: dict[str, Errors]


class Fitted(_Frozen):
    """What a fit found.

    Attributes:
        datasets: SHA-256 of the figures of each dataset, by name.
        definitions: SHA-256 of what was to be fitted: names, bounds and priors of all parameters.
        cells: the figures that were seen.
        covariance: of the logarithms of the parameters, in their order.
        scatter: standard deviation of the logarithms of published / predicted that no parameter explains.
        errors: in sample, cross-validated, and each transfer, by name.
        held_out: what a fit that had not seen it predicts of each figure.
        coverage: share of held-out figures inside their 90 % bands.
    """

    system: str
    version: str
    command: str
    datasets: dict[str, str]
    definitions: str
    cells: tuple[str, ...]
    parameters: dict[str, FittedValue]
    covariance: tuple[tuple[float, ...], ...]
    scatter: float
    errors: dict[str, Comparison]
    held_out: dict[str, float]
    coverage: float

    def parameters_from(self, defined: Parameters) -> Parameters:
        """Put the fitted values into the parameters as ``defined`` by the system."""
        entries = []
        for entry in defined.entries:
            found = self.parameters.get(entry.name)
            if found is not None:
                entry = replace(  # noqa: PLW2901  (the loop builds the new entry)
                    entry,
                    value=found.value,
                    interval=(found.low, found.high),
                    prior=entry.centre,
                    cells=self.cells,
                )
            entries.append(entry)
        return Parameters(tuple(entries), self.covariance, self.scatter)

    def stale(self, defined: Parameters, datasets: Iterable[Dataset]) -> str | None:
        """Say what has changed since the fit; None if nothing has."""
        if definitions_hash(defined) != self.definitions:
            return "definitions of parameters"
        found = {dataset.name: data_hash(dataset) for dataset in datasets}
        changed = [name for name, known in self.datasets.items() if found.get(name) != known]
        return f"dataset '{changed[0]}'" if changed else None


def read(path: Path) -> Fitted | None:
    """The fit in the file ``path``; None where there is no file.

    Raises:
        InputError: a file that is no fit, or was cut short.
    """
    if not path.exists():
        return None
    try:
        return Fitted.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "its text"
        raise InputError(f"{path}: {where}: {first['msg']}; fit again with `stacksim fit`") from None


def write(fitted: Fitted, path: Path) -> None:
    """Write ``fitted`` whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    write_atomically(
        path, (json.dumps(rounded(fitted.model_dump()), indent=1, ensure_ascii=False) + "\n").encode()
    )


def refitted(system: System, path: Path) -> System:
    """``system`` with the parameters in the file ``path``.

    Raises:
        InputError: no such file, or the fit of another system.
    """
    found = read(path)
    if found is None:
        raise InputError(f"no file {path}; write one with `stacksim fit … --output {path}`")
    if found.system != system.name:
        raise InputError(f"{path} is a fit of system '{found.system}', not of '{system.name}'")
    known = copy(system)
    known.parameters = found.parameters_from(system.parameters)
    return known


def path_in(folder: Path, system: str) -> Path:
    """Where the fit of ``system`` lies in a data package."""
    return folder / "fitted" / f"{system}.json"


def loaded(defined: Parameters, folder: Path, system: str) -> Parameters:
    """The parameters of ``system`` as ``defined``, with what was fitted; before any fit, centres of priors."""
    found = read(path_in(folder, system))
    return found.parameters_from(defined) if found else defined


def definitions_hash(defined: Parameters) -> str:
    """Of names, priors and bounds: what a fit starts from."""
    return _hash(repr([(each.name, each.centre, each.low, each.high, each.basis) for each in defined.entries]))


def data_hash(dataset: Dataset) -> str:
    """Of all figures and of the conditions under which they were measured."""
    return _hash(repr(dataset.measurements))


def rounded(value: Any) -> Any:
    """Numbers to six digits: more would be noise, and would make every new fit a change of every line."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if _is_list(value) else value


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
