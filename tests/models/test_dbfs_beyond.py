"""More nodes than were measured: the server for all of them is a stand-in, and every answer says so."""

from __future__ import annotations

import pytest

from sim.prediction import Case, RunOptions, predict

ROUGH = {"auto": RunOptions(precision=0.1, answers=("throughput",)), "analytic": RunOptions(engine="analytic")}


@pytest.mark.parametrize("engine", ["auto", "analytic"])
@pytest.mark.parametrize(("nodes", "told"), [("4", 0), ("5", 1)])
def test_of_more_nodes_than_measured_the_answer_says_what_stands_in(engine, nodes, told):
    prediction = predict("dbfs", {"nodes": nodes, "cells": "3"}, ROUGH[engine], intervals=False)
    found = [line for line in prediction.result.warnings if "a stand-in for what 4 nodes lose" in line]
    assert len(found) == told


@pytest.mark.parametrize("system", ["dbfs-files", "dbfs-load"])
def test_so_do_those_on_the_same_cluster(system):
    assert Case.of(system, {"nodes": "5"}).scenario.warnings
    assert not Case.of(system, {"nodes": "4"}).scenario.warnings


@pytest.mark.parametrize(
    ("settings", "said"), [({"cells": 1}, True), ({"cells": 2}, False), ({"cells": 1, "op": "read"}, False)]
)
def test_a_single_cell_says_that_it_mirrors_nothing(settings, said):
    notes = Case.of("dbfs", settings).scenario.notes
    assert any("nowhere to mirror to" in note for note in notes) == said
