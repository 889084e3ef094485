"""Shared by the tests of kinds of layers: a layer under closed clients, run by one engine or by both."""

from __future__ import annotations

from models.io import FileIO
from sim import Closed, Delay, Model, simulate


class Below:
    """Takes ``seconds``, and as many I/Os at once as come; it notes which."""

    def __init__(self, seconds):
        self.seconds, self.ios = seconds, []

    def path(self, io):
        self.ios.append(io)
        return (Delay(self.seconds),)


def clients(layer, count=1, op="read", size=4096, processes=1):
    """``count`` I/Os in flight of each process, and what the layer does in the background."""
    ios = (FileIO(op, size, process=process, processes=processes) for process in range(processes))
    loads = [Closed(f"process {io.process}", clients=count, path=layer.path(io), group="all") for io in ios]
    return Model([*loads, *getattr(layer, "background", tuple)()])


def run(layer, count=1, op="read", size=4096, processes=1, **options):
    return simulate(clients(layer, count, op, size, processes), **{"precision": 0.005} | options)


def rate(*args, **options):
    """I/Os a second."""
    return run(*args, **options).throughput.value


def latency(*args, **options):
    """Mean seconds of an I/O."""
    return run(*args, **options).groups["all"].latency.mean.value


def assert_engines_agree(layer, count, **load):
    """The two event engines give the same record."""
    reference, compiled = (
        run(layer, count, **load, precision=0.1, engine=engine) for engine in ("reference", "compiled")
    )
    assert reference.throughput == compiled.throughput
    assert reference.groups == compiled.groups
    assert reference.places == compiled.places
    assert reference.steps == compiled.steps
