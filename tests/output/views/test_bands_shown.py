"""Bands and what was never measured are said by every answer that has them, in one word and in the same units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.systems.san import SAN
from one_server import SERVER
from sim.decision.find import find
from sim.decision.record import record
from sim.decision.space import space_of
from sim.engine.simulation.options import RunOptions
from sim.engine.units.text import ends_text
from sim.output.views import finding
from sim.output.views.prediction import details
from sim.output.views.sweep import parts_of
from sim.prediction.points import DONE, Outcome
from sim.prediction.prediction import predict
from sim.prediction.table import Point, table
from sim.prediction.uncertainty import EXPECTED, PredictionInterval
from toy import TOY

QUICK = RunOptions(precision=0.05)
SERVICE = replace(SERVER.parameters.entries[0], likely=(8e-3, 12.5e-3))
RANGED = replace(SERVER, parameters=replace(SERVER.parameters, entries=(SERVICE,)))


def swept(scatter, *measures):
    prediction = predict(TOY, {"clients": 2}, QUICK, intervals=False)
    bands = {name: PredictionInterval(1e-3, 2e-3, 0.9, 0.1, scatter, known=name != "p99") for name in measures}
    point = Point(prediction.case, Outcome(DONE, replace(prediction, intervals=bands)))
    (shown, *_) = parts_of([point], ["clients"])
    return dict(zip(shown.headings, shown.rows[0], strict=True)), table([point], ["clients"])


@pytest.mark.parametrize("scatter", [0.1, 0.0])
def test_the_table_of_a_sweep_has_the_bands_and_the_word_of_predict(scatter):
    row, written = swept(scatter, "throughput", "mean", "p99")
    assert row[EXPECTED] == "0.001 … 0.002"
    assert row[f"{EXPECTED} mean latency"] == "1 … 2 ms" or row[f"{EXPECTED} mean latency"].endswith(" µs")
    assert row[f"{EXPECTED} p99"].endswith("?")
    assert list(row).index(f"{EXPECTED} p99") == list(row).index("p99") + 1
    assert f"mean latency {EXPECTED} low (s)" in written.columns


def test_a_sweep_without_bands_has_no_column_for_them():
    row, _ = swept(0.1)
    assert not [heading for heading in row if EXPECTED in heading]


def test_a_design_says_where_a_measurement_of_it_would_lie():
    made = find(RANGED, space_of(RANGED, ["rate=0", "clients=1"]), ["throughput>=95", "mean<=20ms"], QUICK)
    rate, mean = record(made)["goals"]
    band = made.examinations[0].prediction.intervals["throughput"]
    assert (rate["band"]["low"], rate["band"]["high"]) == (band.low, band.high)
    assert rate["band"]["low"] < rate["low"] < rate["high"] < rate["band"]["high"]
    assert mean["band"]["unit"] == "s"
    goals = next(each for each in finding.parts(made) if getattr(each, "headings", ("",))[0] == "goal")
    assert goals.headings[3] == EXPECTED
    assert goals.rows[0][3] == ends_text(band.low, band.high)
    assert goals.rows[1][3].endswith(" ms")


def test_band_of_a_design_with_fixed_parameters_is_the_model_error():
    made = find(SERVER, space_of(SERVER, ["rate=0", "clients=1"]), ["throughput>=95"], QUICK)
    band = made.examinations[0].prediction.intervals["throughput"]
    assert record(made)["goals"][0]["band"]["low"] == band.low
    assert band.parameters == band.ranges == 0.0 < band.missed


def test_unmeasured_design_is_marked():
    """`san` was measured with up to two paths."""
    options = RunOptions(precision=0.1, answers=("throughput",))
    space = space_of(SAN, ["paths=64", "streams=1", "data=1MB", "page_cache=no"])
    made = find(SAN, space, ["throughput>=1MB/s"], options)
    (load,) = record(made)["loads"]
    assert {each["setting"] for each in load["extrapolated"]} >= {"paths", "data"}
    lines = [each.before for each in finding.parts(made) if hasattr(each, "before")]
    (said,) = [line for line in lines if line.startswith("extrapolated")]
    assert "paths=64 (measured: " in said


def band_line(system):
    prediction = predict(system, {}, QUICK, intervals=False)
    band = PredictionInterval(90.0, 110.0, 0.9, 0.0, 0.0, ranges=0.03, missed=0.06)
    shown = details(replace(prediction, intervals={"throughput": band}))
    return next(line.before for line in shown if getattr(line, "before", "").startswith("deviations"))


def test_components_of_a_band_are_called_standard_deviations():
    """Each part is narrower than the band at 90 %, and nobody should add them up."""
    assert band_line(SERVER) == "deviations    standard deviation: model error on unseen data ±6.0%"
    assert band_line(RANGED).endswith(
        "  standard deviations: assumed range of service_s ±3.0%, model error on unseen data ±6.0%"
    )
