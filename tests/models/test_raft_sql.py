"""The replicated database: what a transaction takes by hand, what each mechanism explains, how far off it is."""

from __future__ import annotations

import statistics

import pytest

from models import data_folder
from models.systems.raft_sql import RAFT_SQL
from models.systems.raft_sql.parameters import PARAMETERS as DEFINED
from models.systems.raft_sql.system import ASYNCHRONOUS, TESTS
from sim.data.fitted import path_in, read
from sim.prediction import RunOptions, predict
from sim.prediction.report import datasets, report
from whole_system import changed

P = RAFT_SQL.parameters
QUICK = RunOptions(precision=0.02, answers=("throughput",))
BEFORE, AFTER = "4.0", "5.0"
SLOWER = P["version_5_0"]


def rate(system=RAFT_SQL, **settings):
    return predict(system, settings, QUICK, intervals=False).throughput.value


def statements_s(rows=1, ranges=0):
    statement_s = P["delay_s"] + P["work_s"]
    return rows * statement_s + ranges * (statement_s + P["range_s"])


def entry_s():
    """Of one thread, who has each round for himself."""
    return P["round_s"] + P["each_s"]


def test_one_thread_has_all_the_times_of_its_statements():
    assert rate(threads=1, version=BEFORE) == pytest.approx(1 / statements_s(), rel=0.02)


def test_an_update_has_two_rounds_before_5_0_and_one_from_then_on():
    alone = {"threads": 1, "test": "update_non_index"}
    assert rate(version=BEFORE, **alone) == pytest.approx(1 / (statements_s() + 2 * entry_s()), rel=0.02)
    assert rate(version=AFTER, **alone) == pytest.approx(1 / SLOWER / (statements_s() + entry_s()), rel=0.02)


def test_a_transaction_of_read_write_is_18_statements_and_seven_entries():
    test = TESTS["read_write"]
    assert (test.rows + test.ranges, test.entries) == (18, 7)
    latency_s = 1 / rate(threads=1, test="read_write", version=BEFORE)
    statements = statements_s(14, 4)
    assert statements + 2 * entry_s() < latency_s < statements + 2 * P["round_s"] + 14 * P["each_s"] + entry_s()


def test_cores_limit_many_that_select():
    assert rate(threads=1500, version=BEFORE) == pytest.approx(round(P["cores"]) / P["work_s"], rel=0.02)


def test_entries_limit_many_that_update():
    """Prewritten and committed, each on one of three stores."""
    found = rate(threads=6000, test="update_index", version=BEFORE)
    assert found == pytest.approx(3 / P["each_s"] / 4, rel=0.06)


def test_without_asynchronous_commit_5_0_would_be_as_slow_as_4_0(monkeypatch):
    update = {"threads": 150, "test": "update_non_index"}
    before, after = rate(version=BEFORE, **update), rate(version=AFTER, **update)
    assert after > 1.8 * before
    monkeypatch.setattr("models.systems.raft_sql.system.ASYNCHRONOUS", ASYNCHRONOUS[1:])
    assert rate(version=AFTER, **update) == pytest.approx(before / SLOWER, rel=0.02)


def test_without_a_time_for_each_entry_twice_the_threads_would_update_twice_as_often():
    """Published: 1.28 to 1.49 times as often."""

    def gain(system):
        few, many = (rate(system, threads=each, test="update_index", version=BEFORE) for each in (150, 300))
        return many / few

    assert gain(RAFT_SQL) < 1.4
    assert gain(changed(RAFT_SQL, each_s=DEFINED.values.each_s / 4)) > 1.6


@pytest.mark.parametrize(
    ("study", "version", "factors"),
    [
        ("v5-v4", "4.0", ()),
        ("v4-v3", "4.0", ("study_v4_v3",)),
        ("v4-v3", "3.0", ("study_v4_v3", "version_3_0")),
        ("v6", "6.1", ("version_5_0", "version_6_0", "version_6_1")),
    ],
)
def test_studies_and_versions_multiply_all_times(study, version, factors):
    slower = 1.0
    for factor in factors:
        slower *= P[factor]
    found = rate(threads=50, study=study, version=version)
    assert found == pytest.approx(rate(threads=50, version=BEFORE) / slower, rel=0.02)


def test_the_fit_has_four_figures_for_each_parameter():
    fitted = read(path_in(data_folder(), "raft-sql"))
    assert len(DEFINED.free()) == len(fitted.parameters) == 10
    assert len(fitted.figures) == 40


def test_published_figures_are_within_the_errors_of_the_fit():
    cells = report(datasets(["raft-sql"]), QUICK).cells
    by_role = {role: [abs(each.error) for each in cells if each.role == role] for role in ("fitted", "predicted")}
    rates, p95s = by_role["fitted"], by_role["predicted"]
    assert (len(rates), len(p95s)) == (40, 40)
    assert statistics.median(rates) < 0.05
    assert max(rates) < 0.25
    assert statistics.median(p95s) < 0.1
    assert max(p95s) < 0.42
