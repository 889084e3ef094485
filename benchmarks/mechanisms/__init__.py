"""Random models, a kind for each mechanism that is computed approximately, and for two together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

from benchmarks.mechanisms import holds, meetings, stations
from benchmarks.mechanisms.draws import clients, think, yes
from sim import Closed, Delay, Model, ModelError

JOINED = (
    stations.stations,
    holds.lock,
    holds.lock_queue,
    holds.inside_and_outside,
    holds.pool,
    holds.nested,
    holds.fork_held,
    meetings.fork,
    meetings.unlike,
    meetings.cache,
    meetings.behind,
)
"""What may stand one after the other in the same path."""


def several(random: Random) -> Model:
    """Two mechanisms, one after the other in one path, or each in the path of one of two kinds of clients."""
    while True:
        first, second = (random.choice(JOINED)(random).workloads[0].path for _ in range(2))
        with suppress(ModelError):  # two places of one name that differ
            if yes(random):
                path = [*first, *second]
                return Model([Closed("all", clients=clients(random), path=path, think=think(random))])
            pause = [Delay(1e-4)]
            return Model(
                Closed(name, clients=clients(random, 16), path=[*pause, *path], think=think(random))
                for name, path in (("one", first), ("other", second))
            )


MECHANISMS: dict[str, Callable[[Random], Model]] = {
    each.__name__: each for each in (*stations.KINDS, *holds.KINDS, *meetings.KINDS, several)
}
