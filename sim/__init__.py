"""The engine of stacksim: places, steps, workloads and the solvers that read them. It knows no word of storage."""

from sim.addresses import Replayed, Sequential, Uniform, Zipf
from sim.distributions import Constant, Empirical, Erlang, Exponential, Gamma, Lognormal, PerItem
from sim.errors import DeadlockError, InputError, ModelError, NoSteadyStateError, StacksimError, TooLongError
from sim.model import Model
from sim.places import Buffer, Cache, Gate, Lock, Pool, Station
from sim.simulate import simulate
from sim.steps import (
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
from sim.workloads import Closed, Open, Periodic, Poisson, RecordedGaps, ReplayedTimes

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
