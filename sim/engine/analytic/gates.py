"""Gates: bulk service of waiting clients by those who gather them.

Of N clients, m gather and are served for a time S with squared coefficient of variation c_s², at intervals c, one
cycle of a gathering client without idle time, divided by m. Each of the n clients that are not in service arrives
within c with probability p:

    b = n p + (1 - p)^n,    p = 1 - exp(-λ c / e),    n = N - b - λ S (m - 1) / m        (25)
    W = S + (n p / b) (c / 2) (1 + c_s² / m)        (26)
    W_g = (C / k) (max(b / (λ c), 1) - 1)        (27)

b is the mean batch, W the wait of clients that are served, W_g of those that gather. N counts the gathered
clients, λ their arrivals per second, e those elsewhere than at the gate. C is the cycle of a client that gathers k
times in it: c = C / (k m). With arrivals from outside b = λ c + exp(-λ c), the bulk queue M/G^∞/1 (Bailey, "On
queueing processes with bulk service", J. Royal Statistical Society B 16 (1954); Chaudhry and Templeton, *A First
Course in Bulk Queues*, 1983). A finite number of clients arrive independently, and those of a batch in service do
not arrive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from sim.engine.analytic.stations import Visit
from sim.engine.model.places import Gate


@dataclass(eq=False)
class Batches:
    """One gate.

    Attributes:
        awaiting: visits of the clients that wait to be served.
        gathering: visits of the clients that gather and serve them.
        batch: mean clients of a gathered batch.
    """

    place: Gate
    awaiting: list[Visit] = field(default_factory=list)
    gathering: list[Visit] = field(default_factory=list)
    batch: float = 1.0

    def waits(self) -> Iterable[tuple[Visit, float]]:
        """The wait of every visit to the gate at the present throughputs; updates ``batch``."""
        arrival_rate = sum(_rate(visit) for visit in self.awaiting)
        cycles = [(visit, *_cycle(visit)) for visit in self.gathering]
        most = sum(gathers / cycle_s for _, gathers, cycle_s in cycles)
        service_s, variation = self._service()
        interval_s = 1.0 / most if most > 0.0 else 0.0
        arrived, nobody = self._arrivals(arrival_rate, service_s, interval_s)
        # Equation 25: if no client arrived, the first is waited for.
        self.batch = arrived + nobody
        # Equation 26: an arrival while all are busy waits for the residual interval; several servers mix
        # theirs.
        residual_s = interval_s * (1.0 + variation / sum(visit.sources for visit in self.gathering)) / 2.0
        wait_s = service_s + arrived / self.batch * residual_s
        waits = dict.fromkeys(self.awaiting, wait_s)
        # Equation 27: gathering clients wait as long as there are more gathers than batches.
        batch_rate = arrival_rate / self.batch if arrival_rate > 0.0 else math.inf
        slowdown = max(most / batch_rate, 1.0) if batch_rate > 0.0 and most > 0.0 else 1.0
        for visit, gathers, cycle_s in cycles:
            waits[visit] = cycle_s * (slowdown - 1.0) / (gathers / _clients(visit)) if most > 0.0 else 0.0
        return waits.items()

    def _service(self) -> tuple[float, float]:
        """Mean seconds of the service of a batch, and its squared coefficient of variation."""
        visits = sum(visit.visits for visit in self.gathering)
        service_s = sum(visit.work_s for visit in self.gathering) / visits
        square = sum(visit.square_s2 for visit in self.gathering) / visits
        return service_s, max(square / service_s**2 - 1.0, 0.0) if service_s > 0.0 else 0.0

    def _arrivals(self, arrival_rate: float, service_s: float, interval_s: float) -> tuple[float, float]:
        """Mean number of clients that arrive between two gathers, and the probability of none."""
        clients = sum(visit.sources for visit in self.awaiting)
        servers = sum(visit.sources for visit in self.gathering)
        expected = arrival_rate * interval_s
        if math.isinf(clients):
            return expected, math.exp(-expected)
        in_service = arrival_rate * service_s
        candidates = max(clients - self.batch - in_service * (servers - 1.0) / servers, 0.0)
        waiting = max(sum(_rate(visit) * visit.wait_s for visit in self.awaiting), in_service)
        elsewhere = max(clients - waiting, 1e-12)
        probability = -math.expm1(-expected / elsewhere)
        return candidates * probability, (1.0 - probability) ** candidates


def _rate(visit: Visit) -> float:
    return visit.request_rate * visit.visits


def _clients(visit: Visit) -> float:
    chain = visit.chain
    return visit.sources if not math.isinf(chain.clients) else 1.0


def _cycle(visit: Visit) -> tuple[float, float]:
    """Gathers of all clients in one cycle each, and the seconds of a cycle without waiting for arrivals."""
    chain = visit.chain
    cycle_s = chain.think_s + chain.response_s - visit.sequential_visits * visit.wait_s
    return visit.visits * _clients(visit), max(cycle_s, 1e-12)
