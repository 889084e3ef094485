"""Of several stacks the one is kept that the figures say, and those that are held out have no say."""

from __future__ import annotations

import csv

import pytest

from sim.data.fitted import refitted, write
from sim.engine.simulation.options import RunOptions
from sim.prediction.extrapolation import extrapolated
from sim.prediction.prediction import predict_case
from sim.system.case import Case
from stacksim.measuring.answer import fit
from stacksim.measuring.candidate import Means
from stacksim.measuring.choice import system_of
from stacksim.measuring.results import TABLES
from stacksim.measuring.slopes import _throughput

BEGINNING = """
title = "{title}"

[settings]
users = {{ default = 1, range = [1, 1024] }}
block = {{ default = "4KiB" }}

[parameters]
way = {{ value = "50us", bounds = ["1us", "20ms"], range = ["10us", "1ms"], basis = "fitted", source = "t" }}
command = {{ value = "10us", bounds = ["1us", "20ms"], range = ["1us", "100us"], basis = "fitted", source = "t" }}

[load]
clients = "users"
block = "block"
{layers}
"""

WAY = '[[layer]]\nkind = "steps"\nname = "way"\nsteps = [{ delay = "way" }, { below = true }]\n'
TOGETHER = (
    WAY + '[[layer]]\nkind = "virtqueue"\nname = "queue"\n'
    '[[layer]]\nkind = "steps"\nname = "device"\nsteps = [{ delay = "command" }]\n'
)
EACH = (
    '[[place]]\nkind = "station"\nname = "thread"\n' + WAY + '[[layer]]\nkind = "steps"\nname = "device"\n'
    'steps = [{ use = "thread", time = "command" }]\n'
)
TEXTS = {
    "together": BEGINNING.format(title="together", layers=TOGETHER),
    "each": BEGINNING.format(title="each", layers=EACH),
}
MEANS = Means(None, "test", lambda _: None)
USERS = {"fitted": (1, 2, 4, 8), "held-out": (3, 6), "twice-the-load": (16,)}
WAY_S, COMMAND_S = 41e-6, 11e-6


def measured(folder, truth, *, wrong=1.0):
    """Tables of what the stack ``truth`` would do; those that are held out are ``wrong`` times that."""
    system = system_of(TEXTS[truth])
    for name in TABLES:
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["users", "block", "measure", "value", "half_width", "unit"])
            for users in USERS[name]:
                case = Case(system, {"users": users, "block": 4096}).changed({"way": WAY_S, "command": COMMAND_S})
                value = _throughput(case) * (1.0 if name == "fitted" else wrong)
                writer.writerow([users, "4KiB", "throughput", f"{value:.5g}", f"{value / 1000:.2g}", "MB/s"])


@pytest.mark.parametrize("truth", TEXTS)
@pytest.mark.parametrize("wrong", [1.0, 3.0])
def test_the_stack_is_kept_that_misses_jobs_left_out_least(tmp_path, truth, wrong):
    measured(tmp_path, truth, wrong=wrong)
    result = fit(tmp_path, list(TEXTS.values()), MEANS)
    assert result.system.title == truth
    assert result.text == TEXTS[truth]
    (other,) = result.rejected
    assert other.system.title != truth
    assert other.missed > result.missed
    assert all(each.error == pytest.approx(1 / wrong - 1, abs=0.03) for each in result.tested["held-out"])


def test_predictions_of_the_fit_warn_of_its_misses_and_have_bands_as_wide(tmp_path):
    """Else a fit that missed twice the load threefold would promise 64 users within a few percent."""
    measured(tmp_path, "each", wrong=0.3)
    result = fit(tmp_path, [TEXTS["each"]], MEANS)
    write(result.fitted, tmp_path / "fit.json")
    system = refitted(system_of(TEXTS["each"]), tmp_path / "fit.json")
    case = Case(system, {"users": 64, "block": 4096})
    prediction = predict_case(case, RunOptions(precision=0.01, answers=("throughput",)), intervals=True)
    assert any("twice the load: missed by" in each for each in system.parameters.warnings)
    assert [str(each) for each in extrapolated(case)] == ["users=64 (measured: 1 … 16)"]
    assert not [*extrapolated(Case(system, {"users": 3, "block": 4096}))]
    band = prediction.intervals["throughput"]
    assert band.low < 0.3 * prediction.value("throughput") < band.high


def test_bands_of_percentiles_are_as_wide_as_fio_says_that_they_miss(tmp_path):
    """A fit that meets every throughput may have services that vary too little, and a p99 of less than half."""
    text = TEXTS["each"]
    for time in ("way", "command"):
        text = text.replace(f'= "{time}" }}', f'= "{time}", distribution = "gamma", cv = 0.2 }}')
    measured(tmp_path, "each")
    rows = [f"{users},4KiB,p99,{users * 400.0},1,us" for users in USERS["fitted"]]
    (tmp_path / "percentiles.csv").write_text("\n".join(["users,block,measure,value,half_width,unit", *rows, ""]))
    result = fit(tmp_path, [text], MEANS)
    assert len(result.percentiles["p99"]) == len(USERS["fitted"])
    assert all(each.error < -0.5 for each in result.percentiles["p99"])
    assert any(each.startswith("p99: missed by") for each in result.fitted.warnings)
    prediction = predict_case(Case(result.system, {"users": 2, "block": 4096}), RunOptions(), intervals=True)
    assert prediction.intervals["p99"].high > 800e-6
    assert prediction.intervals["throughput"].high < 1.3 * prediction.value("throughput")
