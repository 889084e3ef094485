"""The answer of a prediction on one page: its lines at 80 columns, and what never stands in it."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console

from one_server import SERVER
from sim import (
    Buffer,
    Closed,
    Delay,
    Exponential,
    Hold,
    Model,
    ModelError,
    Pool,
    Put,
    Station,
    Take,
    Use,
    simulate,
)
from sim.engine.simulation.allowances import internals, roles_of
from sim.engine.simulation.options import RunOptions
from sim.output.views.prediction import details, hint, parts
from sim.prediction.answer_page import answer_page, answered
from sim.prediction.prediction import predict
from sim.prediction.uncertainty import PredictionInterval
from sim.prediction.usage import WAITED_FOR, usages

MS = 1e-3
QUICK = RunOptions(precision=0.3)


def lines(shown, width=80):
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, highlight=False, markup=False)
    for part in shown:
        console.print(part)
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def test_page_at_80_columns():
    prediction = predict("gp3", {}, QUICK, intervals=False)
    band = PredictionInterval(35.1, 49.2, 0.9, 0.0, 0.0, ranges=0.001, missed=0.204)
    banded = replace(prediction, intervals={"throughput": band})
    assert lines([*parts(banded), hint(banded)]) == [
        "gp3  jobs=4  depth=8  block=16KiB  op=read  iops=3000  throughput=125MiB/s",
        "     credits=spent",
        "what you get  predicted     expected if measured, 90%",
        "throughput    49.1 MB/s     35.1 … 49.2 MB/s",
        "mean latency  10.7 ms",
        "percentiles   not modelled  service times are constant",
        "limit         throttled: volume IOPS, 100% in use, allows 49.15 MB/s; 29.1",
        "              requests wait",
        "would help    a higher limit of volume IOPS; then at most 59 MB/s (instance",
        "              IOPS)",
        "how sure      model error ±20.4%, assumed ranges ±0.1%; simulated to ±1.0%",
        "extrapolated  no measurement of gp3 is known",
        "assumed       latency, variation, and 4 defaults of layers",
        "              -v: resources and run; --explain: where the time of a request goes",
    ]


def test_page_has_figures_limits_and_certainty():
    page = answer_page(predict(SERVER, {"rate": 0, "clients": 4}, RunOptions(precision=0.02)))
    assert [each.label for each in page.figures][:2] == ["throughput", "mean latency"]
    assert page.figures[0].value.endswith(" requests/s")
    assert page.state == "saturated"
    assert [each.about for each in page.limits] == ["limit", "would help"]
    assert page.sure[0].about == "how sure"
    assert page.sure[-1].about == "assumed"


def test_json_has_the_page_beside_all_other_keys():
    prediction = predict(SERVER, {"rate": 0, "clients": 4}, QUICK, intervals=False)
    record = answered(prediction)
    assert {name: each for name, each in record.items() if name != "answer"} == prediction.record()
    assert record["answer"]["figures"][0] == {
        "name": "throughput",
        "label": "throughput",
        "value": answer_page(prediction).figures[0].value,
        "expected": "",
        "why": "",
        "known": True,
    }


SYSTEMS = ("dbfs", "gp3", "nvme-xfs", "postgresql", "redo", "file-sync", "nfs-server", "fuse-passthrough")


@pytest.mark.parametrize("name", SYSTEMS)
def test_page_is_short_and_shows_no_internal_place(name):
    """Nor does a resource that nobody waits for stand above one that somebody waits for."""
    prediction = predict(name, {}, QUICK, intervals=False)
    page, more = lines([*parts(prediction), hint(prediction)]), lines(details(prediction))
    assert len(page) <= 20
    assert max(map(len, (*page, *more))) <= 80
    resources = prediction.usages(100)
    hidden = internals(prediction.case.scenario.model)
    assert not {each.name for each in resources} & hidden
    assert prediction.limit.place not in hidden
    waits = [each.waiting >= WAITED_FOR for each in resources if not math.isnan(each.busiest)]
    assert waits == sorted(waits, reverse=True)
    for word in ("asleep", "ready", "refill", "handed over", "waited for", "debt"):
        assert word not in "\n".join((*page, *more))


def test_places_with_waiters_come_first_and_full_buffers_last():
    """A pool of which nobody wants more is always in use; a buffer is full of what nobody needs."""
    pool, disk, full = Pool("pool", 3), Station("disk"), Buffer("full", 9, 9)
    ours = Closed("ours", clients=3, path=[Hold(pool, Use(disk, Exponential(1 * MS)), Delay(2 * MS))])
    rare = Closed("rare", clients=1, path=[Delay(1.0), Take(full), Put(full)])
    result = simulate(Model([ours, rare]), precision=0.1)
    assert [each.name for each in usages(result, 6)] == ["disk", "pool", "full"]


def test_role_of_a_place_is_one_of_four():
    assert Station("disk").role == "resource"
    with pytest.raises(ModelError, match="role of station 'disk' is 'intern'; did you mean 'internal'"):
        Station("disk", role="intern")


def test_internal_places_and_roles_are_those_of_the_model():
    clock, disk = Station("clock", role="internal"), Station("disk 1", role="stand-in")
    model = Model([Closed("w", clients=2, path=[Use(clock, 1 * MS), Use(disk, 1 * MS)])])
    assert internals(model) == {"clock"}
    assert roles_of(model) == {"clock": "internal", "disk 1": "stand-in"}


def test_bounds_behind_the_limit_are_of_other_places():
    """One of several links is no help beyond all of them."""
    prediction = predict("nfs-server", {"links": 2}, QUICK, intervals=False)
    assert prediction.limit.family == "link * back"
    assert not [bound.place for bound in prediction.behind if bound.place.endswith("back")]
