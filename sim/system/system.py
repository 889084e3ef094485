"""A system: settings and parameters in, a model out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Self

from typing_extensions import TypeVar

from sim.engine.checks import quoted
from sim.engine.errors import InputError, ModelError
from sim.engine.model.symmetry import Symmetry, symmetry
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate
from sim.system.blame import blaming
from sim.system.failures import Failure, checked
from sim.system.parameters import Parameters
from sim.system.reads import noting
from sim.system.scenario import Measure, Scenario
from sim.system.settings import Settings, Values


@dataclass(frozen=True)
class Ceiling:
    """Upper bound ``most`` of ``measure`` by hardware, in the system's unit; ``why`` names the hardware."""

    measure: str
    most: float
    why: str


@dataclass(frozen=True)
class Asked:
    """Load of a file of jobs, in place of the system's own load.

    Attributes:
        settings: for each setting that only the own load uses: the value of the jobs (None if no single value
            describes them), and its text.
        others: properties without a setting, by name: their text, and the own load's behaviour.
        notes: notes on the file, one line each.
    """

    settings: Mapping[str, tuple[Any, str]] = field(hash=False)
    others: Mapping[str, tuple[str, str]] = field(hash=False)
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> dict[str, str]:
        """All of it as users write it."""
        of_settings = {name: text for name, (_, text) in self.settings.items()}
        return of_settings | {name: text for name, (text, _) in self.others.items()}


SettingsRecord = TypeVar("SettingsRecord", default=Any)
ParametersRecord = TypeVar("ParametersRecord", default=Any)
Made = TypeVar("Made")


@dataclass(frozen=True)
class System(Generic[SettingsRecord, ParametersRecord]):
    """The description of a stack that can be predicted, swept and reported.

    Attributes:
        name: the name that the command takes.
        title: a description in one line.
        settings: choices of the user, such as ``Settings.of(DiskSettings)``.
        parameters: numbers of its hardware and software, such as ``Parameters.of(DiskParameters)``.
        build: function from settings and parameters to the scenario.
        ceilings: limits under given settings, from published rates of the hardware alone.
        fold: function to a small scenario whose parts stand for all, with their multiplicities, so that the size
            of the system costs the analytic engine nothing.
        data_package: folder of the published figures it is compared with, if there are any.
        failures: parts that may fail, each with the settings for its failure.
        loads: fio's names (``rw``) of its loads, such as ``randread``, if its settings do not tell. These settings
            are ``op``, and one with the words ``sequential`` and ``random``; without it the load is sequential.
        asked: load of a file of jobs that replaced its own load, if any.
        structure: its assumption where sources leave open how such a stack is built, if they do.
        rivals: names of systems with other assumptions and equal settings.
        told_by: settings to vary in a measurement that distinguishes its structures.
        rival_of: the system that has this one among its rivals, to which published figures belong.

    Raises:
        InputError: a failure is not usable.
    """

    name: str
    title: str
    settings: Settings[SettingsRecord]
    parameters: Parameters[ParametersRecord]
    build: Callable[[SettingsRecord, ParametersRecord], Scenario]
    ceilings: Callable[[SettingsRecord], tuple[Ceiling, ...]] | None = None
    fold: Callable[[SettingsRecord, ParametersRecord], tuple[Scenario, Symmetry]] | None = None
    data_package: Path | None = None
    failures: tuple[Failure, ...] = ()
    loads: tuple[str, ...] = ()
    asked: Asked | None = None
    structure: str = ""
    rivals: tuple[str, ...] = ()
    told_by: tuple[str, ...] = ()
    rival_of: str = ""

    def __post_init__(self) -> None:
        for what, given, kind in (
            ("settings", self.settings, Settings),
            ("parameters", self.parameters, Parameters),
        ):
            if not isinstance(given, kind):
                raise InputError(
                    f"{what} of system '{self.name}' are {quoted(given)}; write {what}={kind.__name__}.of(…)"
                )
        try:
            object.__setattr__(self, "failures", checked(self.failures, self.settings))
        except InputError as error:
            raise InputError(f"system '{self.name}': {error}") from None

    def scenario(
        self,
        settings: Values,
        parameters: Parameters[ParametersRecord] | None = None,
        reads: set[str] | None = None,
    ) -> Scenario:
        """Build the scenario for a value of each setting; with other ``parameters``, if given.

        Args:
            reads: set to which names of settings and parameters are added as they are read.

        Raises:
            ModelError: the model cannot work; the message names the system and the settings to check.
            InputError: an error of the system's own function; the message has its line.
        """
        return self._measured(self._named("build", self.build, settings, parameters, reads))

    def folded(self, settings: Values, reads: set[str] | None = None) -> tuple[Scenario, Symmetry]:
        """A scenario for the analytic engine, and its identical parts; with a fold, each is built once."""
        if self.fold:
            scenario, folded = self._named("fold", self.fold, settings, reads=reads)
            return self._measured(scenario), folded
        scenario = self.scenario(settings, reads=reads)
        return scenario, symmetry(scenario.model)

    def limits(self, settings: Values) -> tuple[Ceiling, ...]:
        """Upper bounds by the hardware under ``settings``; empty if none are stated."""
        ceilings = self.ceilings
        if ceilings is None:
            return ()
        return blaming(f"system '{self.name}', ceilings", lambda: ceilings(self.settings.record(**settings)))

    def rival(self, name: str, structure: str, **others: Any) -> Self:
        """Copy with another ``structure``; ``others`` are fields that differ."""
        return replace(self, name=name, structure=structure, rivals=(), told_by=(), rival_of=self.name, **others)

    @property
    def measured_as(self) -> str:
        """The system's name in data sets."""
        return self.rival_of or self.name

    @property
    def in_layers(self) -> bool:
        """True if it comes from a stack file, whose layers say more than the scenario that they build."""
        return hasattr(self.build, "layers")

    @property
    def mentioned(self) -> frozenset[str] | None:
        """Settings and parameters that a stack file uses; None for a system built by a function."""
        mentioned: Callable[[], frozenset[str]] | None = getattr(self.build, "mentioned", None)
        return mentioned() if mentioned else None

    def check_used(self, names: Iterable[str]) -> None:
        """Refuse settings and parameters that a user set and that nothing in a stack uses.

        Raises:
            InputError: the first one.
        """
        mentioned = self.mentioned
        for name in names if mentioned is not None else ():
            if name not in mentioned:  # type: ignore[operator]
                why = "nothing in the stack file uses it; name it in a field, or take it out"
                of_jobs = "the job file says what is asked for; change it there"
                raise InputError(f"{name} has no effect: {of_jobs if self.asked else why}")

    def _measured(self, scenario: object) -> Scenario:
        """Copy of ``scenario`` whose measures report the place of their errors."""
        if not isinstance(scenario, Scenario):
            raise InputError(f"system '{self.name}' builds {quoted(scenario)}; let its build return a Scenario")
        measures = scenario.measures.items()
        return replace(scenario, measures={name: self._blamed_for(name, each) for name, each in measures})

    def _blamed_for(self, name: str, measure: Measure) -> Measure:
        def read(result: Result) -> Estimate:
            return blaming(f"system '{self.name}', measure '{name}'", lambda: measure.read(result))

        return replace(measure, read=read)

    def _named(
        self,
        what: str,
        make: Callable[[SettingsRecord, ParametersRecord], Made],
        settings: Values,
        parameters: Parameters[ParametersRecord] | None = None,
        reads: set[str] | None = None,
    ) -> Made:
        def of_records() -> Made:
            chosen, values = self.settings.record(**settings), (parameters or self.parameters).values
            if reads is None:
                return make(chosen, values)
            return make(noting(chosen, reads), noting(values, reads))

        try:
            made = blaming(f"system '{self.name}', {what}", of_records)
        except ModelError as error:
            set_by_user = [each.name for each in (parameters or self.parameters).entries if each.basis == "set"]
            suspects = ", ".join(self._blamed(settings) or set_by_user)
            look = f"; look at {suspects}" if suspects else ""
            raise ModelError(f"system '{self.name}': {error}{look}") from error
        return made

    def _blamed(self, settings: Values) -> list[str]:
        """Each setting whose default would let the model be built; if there is none, all that are not default."""
        changed = [setting for setting in self.settings if settings[setting.name] != setting.default]
        blamed = [setting for setting in changed if self._builds({**settings, setting.name: setting.default})]
        return [f"{setting.name}={setting.show(settings[setting.name])}" for setting in blamed or changed]

    def _builds(self, settings: Values) -> bool:
        try:
            self.build(self.settings.record(**settings), self.parameters.values)
        except Exception:  # noqa: BLE001  (any error: this setting builds nothing)
            return False
        return True
