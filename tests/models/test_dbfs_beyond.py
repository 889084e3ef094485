"""More nodes than were measured: a server for all of them is a stand-in, and answers say what else may be."""

from __future__ import annotations

import pytest

from sim.prediction import Case, RunOptions, predict


@pytest.mark.parametrize(("nodes", "told"), [(1, False), (8, True)])
def test_prediction_for_many_nodes_has_expectations_of_each_structure(nodes, told):
    prediction = predict("dbfs", {"nodes": nodes, "cells": 14, "users": 8}, RunOptions(engine="analytic"))
    assert any(line.startswith("structures: ") for line in prediction.caveats.lines) == told


@pytest.mark.parametrize("system", ["dbfs-files", "dbfs-load"])
def test_systems_on_the_cluster_warn_of_many_nodes(system):
    assert Case.of(system, {"nodes": "5"}).scenario.warnings
    assert not Case.of(system, {"nodes": "4"}).scenario.warnings


@pytest.mark.parametrize(
    ("settings", "said"), [({"cells": 1}, True), ({"cells": 2}, False), ({"cells": 1, "op": "read"}, False)]
)
def test_a_single_cell_says_that_it_mirrors_nothing(settings, said):
    notes = Case.of("dbfs", settings).scenario.notes
    assert any("nowhere to mirror to" in note for note in notes) == said


@pytest.mark.parametrize("system", ["dbfs", "dbfs-files", "dbfs-load", "exadata-ctas"])
def test_a_lost_cell_says_that_it_is_not_rebuilt(system):
    told = "cells_lost=1: copies are read, and nothing is rebuilt: what that takes comes on top of the load"
    assert told in Case.of(system, {"cells_lost": 1}).scenario.notes
    assert told not in Case.of(system, {}).scenario.notes
