"""A system: settings and parameters in, a model out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Self

from typing_extensions import TypeVar

from sim.checks import quoted
from sim.errors import InputError, ModelError
from sim.model.symmetry import Symmetry, symmetry
from sim.result import Result
from sim.statistics.estimates import Estimate
from sim.system.blame import blaming
from sim.system.failures import Failure, checked
from sim.system.parameters import Parameters
from sim.system.reads import noting
from sim.system.scenario import Measure, Scenario
from sim.system.settings import Settings, Values


@dataclass(frozen=True)
class Ceiling:
    """The ``most`` of ``measure``, in the system's unit, that hardware allows; ``why`` says which hardware."""

    measure: str
    most: float
    why: str


@dataclass(frozen=True)
class Asked:
    """What a file of jobs asks for, in place of the load that a system has of its own.

    Attributes:
        settings: by setting that only that load uses: the value of the jobs, None where no one value says it, and
            how people write it.
        others: what no setting says, by name: how people write it, and what the system's own load does.
        notes: what a reader should know about the file, one line each.
    """

    settings: Mapping[str, tuple[Any, str]] = field(hash=False)
    others: Mapping[str, tuple[str, str]] = field(hash=False)
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> dict[str, str]:
        """All of it as people write it."""
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
        settings: what a user chooses, such as ``Settings.of(DiskSettings)``.
        parameters: what describes its hardware and software, such as ``Parameters.of(DiskParameters)``.
        build: makes the scenario from a value for each setting and each parameter.
        ceilings: limits under given settings, from published rates of the hardware alone.
        fold: a small scenario whose parts stand for all, and how many each stands for, so that the size of the
            system costs the analytic engine nothing.
        data_package: folder of the published figures it is compared with, if there are any.
        failures: the parts that may fail, each with the settings that say so.
        loads: what fio calls its loads (``rw``), such as ``randread``, where its settings do not tell. These are
            ``op``, and one with the words ``sequential`` and ``random``; without any it is in sequence.
        asked: what a file of jobs asks for, if one took the place of its load.
        structure: what it takes to be true where sources leave open how such a stack is built, if they do.
        rivals: names of the systems that take something else to be true, with the settings of this one.
        told_by: settings whose numbers make a measurement that may tell its structures apart.
        rival_of: the system that has this one among its rivals; what is published is about that.

    Raises:
        InputError: a failure that is not usable.
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
        """The model for a value of each setting, and what to read off it; with other ``parameters``, if given.

        Args:
            reads: takes the names of the settings and parameters that are read.

        Raises:
            ModelError: a model that cannot work; says which system, and which settings to look at.
            InputError: an error of the system's own function; says in which line of it.
        """
        return self._measured(self._named("build", self.build, settings, parameters, reads))

    def folded(self, settings: Values, reads: set[str] | None = None) -> tuple[Scenario, Symmetry]:
        """A scenario for the analytic engine, and what is identical in it: with a fold, each is built once."""
        if self.fold:
            scenario, folded = self._named("fold", self.fold, settings, reads=reads)
            return self._measured(scenario), folded
        scenario = self.scenario(settings, reads=reads)
        return scenario, symmetry(scenario.model)

    def limits(self, settings: Values) -> tuple[Ceiling, ...]:
        """What the hardware cannot exceed under ``settings``; empty where nothing is stated."""
        ceilings = self.ceilings
        if ceilings is None:
            return ()
        return blaming(f"system '{self.name}', ceilings", lambda: ceilings(self.settings.record(**settings)))

    def rival(self, name: str, structure: str, **others: Any) -> Self:
        """The same system in another ``structure``; ``others`` are its fields that differ."""
        return replace(self, name=name, structure=structure, rivals=(), told_by=(), rival_of=self.name, **others)

    @property
    def measured_as(self) -> str:
        """The name by which data tell of it."""
        return self.rival_of or self.name

    @property
    def in_layers(self) -> bool:
        """Whether it comes from a stack file, whose layers say more than the scenario that they build."""
        return hasattr(self.build, "layers")

    @property
    def mentioned(self) -> frozenset[str] | None:
        """The settings and parameters that a stack file uses; None of a system whose build is a function."""
        mentioned: Callable[[], frozenset[str]] | None = getattr(self.build, "mentioned", None)
        return mentioned() if mentioned else None

    def check_used(self, names: Iterable[str]) -> None:
        """Refuse settings and parameters to which somebody gave a value, and which nothing in a stack uses.

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
        """The same ``scenario``, whose measures say where they fail."""
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
        except Exception:  # noqa: BLE001  (whatever it is: such a setting builds nothing)
            return False
        return True
