"""The engine of stacksim: places, steps, workloads and solvers. It knows nothing of storage."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "AddressSource",
    "Await",
    "Buffer",
    "Cache",
    "Choose",
    "Closed",
    "Constant",
    "Custom",
    "DeadlockError",
    "Delay",
    "Empirical",
    "Erlang",
    "Exponential",
    "Fork",
    "Gamma",
    "Gate",
    "Gather",
    "Hold",
    "IfAny",
    "InputError",
    "Lock",
    "Lognormal",
    "Lookup",
    "Model",
    "ModelError",
    "NoSteadyStateError",
    "Open",
    "Path",
    "PerItem",
    "Periodic",
    "Poisson",
    "Pool",
    "Put",
    "RecordedGaps",
    "Repeat",
    "Replayed",
    "ReplayedTimes",
    "Sequential",
    "StacksimError",
    "Station",
    "Step",
    "Take",
    "TooLongError",
    "Uniform",
    "Use",
    "Wake",
    "Workload",
    "Zipf",
    "over_time",
    "simulate",
]

if TYPE_CHECKING:
    from sim.engine.errors import (
        DeadlockError,
        InputError,
        ModelError,
        NoSteadyStateError,
        StacksimError,
        TooLongError,
    )
    from sim.engine.model.addresses import AddressSource, Replayed, Sequential, Uniform, Zipf
    from sim.engine.model.distributions import Constant, Empirical, Erlang, Exponential, Gamma, Lognormal, PerItem
    from sim.engine.model.model import Model
    from sim.engine.model.places import Buffer, Cache, Gate, Lock, Pool, Station
    from sim.engine.model.steps import (
        Await,
        Choose,
        Custom,
        Delay,
        Fork,
        Gather,
        Hold,
        IfAny,
        Lookup,
        Path,
        Put,
        Repeat,
        Step,
        Take,
        Use,
        Wake,
    )
    from sim.engine.model.workloads import Closed, Open, Periodic, Poisson, RecordedGaps, ReplayedTimes, Workload
    from sim.engine.simulation.over_time import over_time
    from sim.engine.simulation.simulate import simulate
else:
    # Loaded when first asked for: most commands need few of them, and `stacksim --help` none, not even NumPy.
    _HOMES = {
        "sim.engine.errors": (
            "DeadlockError",
            "InputError",
            "ModelError",
            "NoSteadyStateError",
            "StacksimError",
            "TooLongError",
        ),
        "sim.engine.model.addresses": ("AddressSource", "Replayed", "Sequential", "Uniform", "Zipf"),
        "sim.engine.model.distributions": (
            "Constant",
            "Empirical",
            "Erlang",
            "Exponential",
            "Gamma",
            "Lognormal",
            "PerItem",
        ),
        "sim.engine.model.model": ("Model",),
        "sim.engine.model.places": ("Buffer", "Cache", "Gate", "Lock", "Pool", "Station"),
        "sim.engine.model.steps": (
            "Await",
            "Choose",
            "Custom",
            "Delay",
            "Fork",
            "Gather",
            "Hold",
            "IfAny",
            "Lookup",
            "Path",
            "Put",
            "Repeat",
            "Step",
            "Take",
            "Use",
            "Wake",
        ),
        "sim.engine.model.workloads": (
            "Closed",
            "Open",
            "Periodic",
            "Poisson",
            "RecordedGaps",
            "ReplayedTimes",
            "Workload",
        ),
        "sim.engine.simulation.over_time": ("over_time",),
        "sim.engine.simulation.simulate": ("simulate",),
    }
    _HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        globals()[name] = getattr(import_module(_HOME_OF[name]), name)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
