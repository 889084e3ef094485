"""Structures of a system, as the command tells of them."""

from __future__ import annotations

import json

import pytest

from sim.prediction.structures import structures_of
from sim.system.case import Case

LARGE = {"nodes": 8, "users": 8}


def test_predict_prints_the_expectation_of_each_structure(run):
    code, out, _ = run("predict", "dbfs", "nodes=8", "cells=14", "users=8", "--engine", "analytic", "-v")
    assert code == 0
    assert out.count(", weight ") == 3
    assert "to decide     measure nodes=" in out
    record = json.loads(
        run("predict", "dbfs", "nodes=8", "cells=14", "users=8", "--engine", "analytic", "--json")[1]
    )
    assert [each["system"] for each in record["structures"]] == ["dbfs", "dbfs-cells", "dbfs-free"]


def test_find_prints_the_design_under_each_structure(run):
    goal, ranges = "throughput>=5GB/s", ("nodes=6,8", "cells=14,28", "users=8", "block=128KiB")
    code, out, _ = run("find", "dbfs", goal, *ranges, "--engine", "analytic", "--json")
    record = json.loads(out)
    assert (code, record["status"], record["design"]) == (1, "unknown", None)
    designs = {each["system"]: each["design"] for each in record["structures"]}
    assert designs["dbfs"] is None
    assert designs["dbfs-free"] == {"nodes": 6, "cells": 14}
    assert sum(each["weight"] for each in record["structures"]) == pytest.approx(1.0)


def test_a_structure_whose_answers_decide_both_ways_is_not_sure(run):
    """Computed, the cells give 2990 MB/s; by their ratio to the simulated cluster, 3062."""
    words = ("find", "dbfs", "throughput>=3GB/s", "nodes=4", "users=8", "block=64KiB", "cells=7", "-q")
    record = json.loads(run(*words, "--json")[1])
    own, cells, _ = record["structures"]
    assert (own["status"], own["design"], own["unsure"]) == ("found", {}, None)
    assert (cells["status"], cells["design"]) == ("unknown", None)
    assert cells["unsure"] == pytest.approx(3062, rel=0.01)
    probability = record["goals"][0]["probability"]
    assert record["failures"][0]["probability"] == pytest.approx(probability, abs=0.02)
    heading, _, second, *_ = run(*words)[1].splitlines()
    assert heading.startswith(f"dbfs  as given   kept with {probability:.0%}; not sure: 30")
    assert heading.endswith(" MB/s with another structure (13%)")
    assert second.strip().startswith("not sure: 30")


def test_the_heading_has_the_likeliest_other_design(run):
    words = ("throughput>=3GB/s", "nodes=4", "users=8", "block=64KiB", "cells=1..9", "-q")
    heading = run("find", "dbfs", *words)[1].splitlines()[0]
    assert heading.startswith("dbfs  cells=4   kept with 7")
    assert heading.endswith("%; cells=8 with another structure (13%)")


def test_without_a_design_the_nearest_is_the_one_over_all_structures(run):
    """By the system asked, seven cells are as near as fourteen: its cluster limits."""
    goal, ranges = "throughput>=9GB/s", ("nodes=4,8", "cells=7,14", "users=8", "block=128KiB")
    record = json.loads(run("find", "dbfs", goal, *ranges, "--engine", "analytic", "--json")[1])
    assert (record["design"], record["nearest"]) == (None, {"nodes": 8, "cells": 14})
    assert all(each["design"] is None for each in record["structures"])


def test_datasets_fit_any_structure_of_their_system_alone(run):
    code, _, error = run("report", "cubefs", "--system", "dbfs-cells")
    assert (code, error) == (2, "stacksim: dataset 'cubefs' is about cubefs, not dbfs-cells\n")


def test_a_comparison_is_as_open_as_structures_leave_it(run):
    """More cells change nothing where a server of the cluster limits, and much where cells do."""
    words = ("dbfs cells=7", "dbfs cells=14", "nodes=8", "users=8", "--precision", "20%", "--json", "-q")
    rate = json.loads(run("compare", *words)[1])["answers"]["throughput"]
    own = next(each for each in structures_of(Case.of("dbfs", {**LARGE, "cells": 14})) if each.system == "dbfs")
    assert rate["ratio"]["value"] == pytest.approx(1.0, abs=0.01)
    assert rate["band"]["ratio"][1] > 1.1
    assert rate["a_better_with_parameters"] == pytest.approx(own.weight / 2.0, abs=0.1)
