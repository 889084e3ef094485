"""Random small spaces of designs, a third with a cliff, a third without any solution; and all tried by hand."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sim import Closed, Erlang, Exponential, Fork, Hold, Model, Open, Poisson, Pool, Station, Use
from sim.decision.costs import Cost
from sim.decision.goals import Goal
from sim.decision.loads import Load
from sim.decision.space import Space, space_of
from sim.decision.trials import Asked, Trials, confirmed
from sim.engine.simulation.options import RunOptions
from sim.system import Parameters, Scenario, Settings, System, count

KINDS = ("plain", "cliff", "hopeless")
OPTIONS = RunOptions(precision=0.02)


@dataclass(frozen=True)
class SpaceSettings:
    servers: int = count(1, "servers", high=12)
    threads: int = count(1, "threads", high=8)


@dataclass(frozen=True)
class NoParameters:
    pass


@dataclass(frozen=True)
class RandomSpace:
    """A search, and prices of both settings, 0 where nothing has a price."""

    kind: str
    trials: Trials
    space: Space
    prices: tuple[float, float]

    @property
    def costs(self) -> list[Cost] | None:
        if not any(self.prices):
            return None
        return [Cost(self.price(each.design), 0.0, 36) for each in self.space.candidates()]

    def price(self, design: dict[str, int]) -> float:
        return sum(
            price * design.get(name, 0) for name, price in zip(("servers", "threads"), self.prices, strict=True)
        )


def random_space(number: int) -> RandomSpace:
    """The space of that number: two of three have what the name of their kind says, all else is random."""
    chance, kind = random.Random(number), KINDS[number % 3]  # noqa: S311  (no secret)
    system = _system(chance, kind)
    words = [f"servers=1..{chance.randint(4, 8)}"]
    if chance.random() < 0.5:
        words.append(f"threads=1..{chance.randint(2, 3)}")
    space = space_of(system, words)
    goal = _goal(chance, kind, system, space)
    trials = Trials(system, space.fixed, (Asked(Load(), (goal,)),), OPTIONS)
    prices = (chance.randint(1, 9), chance.randint(1, 9)) if chance.random() < 0.5 else (0, 0)
    return RandomSpace(kind, trials, space, prices)


def _system(chance: random.Random, kind: str) -> System:
    service_s = chance.uniform(1e-3, 5e-3)
    time = chance.choice([Exponential, lambda mean: Erlang(mean, 3)])
    shape = chance.choice(["stations", "pool", "fork", "open"])
    beyond = chance.randint(3, 5) if kind == "cliff" else 99
    clients = chance.randint(4, 24)
    rate = chance.uniform(1.5, 5.0) / service_s

    def build(settings: SpaceSettings, _parameters: NoParameters) -> Scenario:
        slower = chance_of_cliff if settings.servers >= beyond else 1.0
        arm = Use(Station("arm", settings.servers), time(slower * service_s))
        cpu = Use(Station("cpu", settings.threads), Exponential(0.3 * service_s))
        path = [cpu, arm]
        if shape == "pool":
            path = [Hold(Pool("tags", 2 * settings.servers), cpu, arm)]
        elif shape == "fork":
            path = [cpu, Fork([arm], [Use(Station("other", settings.servers), time(slower * service_s))])]
        load = Open("load", Poisson(rate), path) if shape == "open" else Closed("load", clients=clients, path=path)
        return Scenario(Model([load]), watch="load", amount=1.0, unit="1/s")

    chance_of_cliff = chance.uniform(3.0, 8.0)
    return System("space", "a space", Settings.of(SpaceSettings), Parameters.of(NoParameters), build)


def _goal(chance: random.Random, kind: str, system: System, space: Space) -> Goal:
    """A limit that some candidate is about as good as; or that none is, by a third at least."""
    measure = chance.choice(["throughput", "mean", "p99"])
    tried = [answer(system, each.design, measure) for each in space.candidates()]
    known = [value for value in tried if value is not None]
    at_least = measure == "throughput"
    best = (max if at_least else min)(known, default=1.0)
    limit = chance.choice(known or [1.0]) * chance.uniform(0.97, 1.03)
    if kind == "hopeless":
        limit = best * (1.33 if at_least else 0.67)
    return Goal(
        f"{measure}{'>=' if at_least else '<='}{limit:g}", measure, at_least, limit, "1/s" if at_least else "s"
    )


def answer(system: System, design: dict[str, int], measure: str) -> float | None:
    """Answers of a simulation of ``design``; None without a steady state."""
    nothing = Goal("", measure, at_least=True, limit=0.0, unit="1/s" if measure == "throughput" else "s")
    trial = Trials(system, {}, (Asked(Load(), (nothing,)),), OPTIONS).tried(design, confirmed)
    return trial.first if trial.estimates else None


def by_hand(each: RandomSpace) -> list[dict[str, int]]:
    """The designs that keep the goals, each candidate simulated: the cheapest, or the smallest ones.

    Of several that cost the same, it is the best by the first goal, and then the smallest.
    """
    tried = [(candidate, each.trials.tried(candidate.design, confirmed)) for candidate in each.space.candidates()]
    kept = [(candidate, trial.first) for candidate, trial in tried if trial.status == "kept"]
    if each.costs:
        sign = -1.0 if each.trials.asked[0].goals[0].at_least else 1.0
        cheapest = sorted(kept, key=lambda one: (each.price(one[0].design), sign * one[1], one[0].ranks))
        return [candidate.design for candidate, _ in cheapest[:1]]
    smallest = [candidate for candidate, _ in kept]
    return [
        one.design for one in smallest if not any(other.within(one) and other is not one for other in smallest)
    ]
