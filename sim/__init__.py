"""The engine of stacksim: places, steps, workloads and the solvers that read them. It knows no word of storage."""

from sim.errors import DeadlockError, InputError, ModelError, NoSteadyStateError, StacksimError, TooLongError
from sim.model.addresses import Replayed, Sequential, Uniform, Zipf
from sim.model.distributions import Constant, Empirical, Erlang, Exponential, Gamma, Lognormal, PerItem
from sim.model.model import Model
from sim.model.places import Buffer, Cache, Gate, Lock, Pool, Station
from sim.model.steps import (
    Await,
    Choose,
    Custom,
    Delay,
    Fork,
    Gather,
    Hold,
    IfAny,
    Lookup,
    Put,
    Repeat,
    Take,
    Use,
    Wake,
)
from sim.model.workloads import Closed, Open, Periodic, Poisson, RecordedGaps, ReplayedTimes
from sim.simulation.simulate import simulate

__all__ = [
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
    "Take",
    "TooLongError",
    "Uniform",
    "Use",
    "Wake",
    "Zipf",
    "simulate",
]
