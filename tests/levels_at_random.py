"""Small models at random whose levels fill and drain: plain, slowed, drained by level, with timers, in chains."""

from __future__ import annotations

import random

from sim import Buffer, Closed, Constant, Delay, Exponential, Gamma, IfAny, Model, Put, Repeat, Station, Take, Use

KINDS = ("plain", "watermarks", "slowed", "drained by level", "timer", "chain", "credits")


def model(number):
    """The model of this number; its user is its first workload."""
    draw = random.Random(number)  # noqa: S311  (a test)

    def time(mean):
        return draw.choice([Constant(mean), Exponential(mean), Gamma(mean, 0.5)])

    kind = draw.choice(KINDS)
    capacity, clients = draw.choice([20_000, 50_000, 200_000]), draw.choice([1, 4, 16])
    low, high = sorted(draw.sample(range(capacity // 10, capacity - capacity // 10), 2))
    work_s, put = draw.uniform(2e-5, 2e-4), draw.choice([1, 4])
    drain_s = draw.uniform(1.1, 4.0) * work_s * draw.choice([1.0, 0.2]) / put
    cpu, disk = Station("cpu"), Station("disk")
    if kind == "credits":
        credits_ = Buffer("credits", capacity, capacity)
        user = Closed("user", clients=clients, path=[Use(cpu, time(work_s)), Take(credits_, 1)])
        refill = [Delay(work_s * draw.uniform(1.2, 3.0)), Put(credits_, 1)]
        return Model([user, Closed("refill", clients=1, path=refill)])
    if kind == "watermarks":
        level = Buffer("level", capacity, low=low, high=high)
    else:
        level = Buffer("level", capacity, draw.choice([0, capacity // 2]))
    work, drain, others = [Use(cpu, time(work_s))], [Take(level, 1), Use(disk, time(drain_s))], []
    if kind == "slowed":
        work.append(IfAny(level, Delay(time(work_s * clients * draw.uniform(1.0, 5.0))), least=high))
    elif kind == "drained by level":
        drain = [Take(level, 1), IfAny(level, Use(disk, time(drain_s / 3.0)), Use(disk, time(drain_s)), least=low)]
    elif kind == "timer":
        job = Repeat(draw.choice([100, 3000]), Use(disk, time(work_s)))
        others = [Closed("timer", clients=1, path=[Delay(draw.uniform(0.5, 3.0)), job])]
    elif kind == "chain":
        second = Buffer("second", capacity // 2)
        drain.append(Put(second, 1))
        path = [Take(second, 1), Use(Station("tape"), time(drain_s * draw.uniform(0.5, 3.0)))]
        others = [Closed("tape", clients=2, path=path)]
    user = Closed("user", clients=clients, path=[*work, Put(level, put)])
    return Model([user, Closed("drain", clients=draw.choice([1, 2]), path=drain), *others])
