"""The plain load of a stack file."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from models.io import FileIO
from models.workloads.clients import Clients
from sim import Delay, InputError


@dataclass(frozen=True)
class Top:
    """A layer that notes who asks."""

    asked: list[FileIO] = field(default_factory=list)

    def path(self, io):
        self.asked.append(io)
        return (Delay(1e-3),)


def test_arrivals_are_divided_equally_among_clients():
    top = Top()
    loads = Clients(clients=3, rate=900.0, op="read").scenario(top).model.workloads
    assert [load.arrivals.rate for load in loads] == pytest.approx([300.0] * 3)
    assert {load.group for load in loads} == {"clients"}
    assert {io.process for io in top.asked} == {0, 1, 2}


@pytest.mark.parametrize("fields", [{"think": 1e-3}, {"depth": 2}])
def test_open_clients_have_no_think_time_or_depth(fields):
    with pytest.raises(InputError, match="leave out those, or the rate"):
        Clients(rate=100.0, **fields).scenario(Top())


def test_an_order_is_that_of_every_request():
    for order in ("random", "sequential"):
        top = Top()
        Clients(op="mixed", order=order).scenario(top)
        assert {io.sequential for io in top.asked} == {order == "sequential"}
