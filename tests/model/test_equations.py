"""The equations of flows made small say the same as whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Buffer, Choose, Closed, Delay, Model, Put, Take
from sim.engine.model.equations import Equations, all_positive, folded, undetermined
from sim.engine.model.standstill import ends

ROWS = [Buffer(f"level {number}", 8) for number in range(5)]
amounts = st.sampled_from([-2.0, -1.0, 1.0, 2.0])
columns = st.dictionaries(st.sampled_from(ROWS), amounts, min_size=1)
flows = st.lists(columns, min_size=1, max_size=7).map(lambda each: dict(enumerate(each)))


def _rates(moved):
    """True if rates of at least 1 exist for all flows, by linear programming."""
    from scipy.optimize import linprog

    matrix = np.array([[each.get(row, 0.0) for each in moved.values()] for row in ROWS])
    return linprog(np.zeros(len(moved)), A_eq=matrix, b_eq=np.zeros(len(ROWS)), bounds=(1.0, None)).success


@given(flows, st.integers(1, 3))
def test_rates_of_equal_flows_are_determined_together(moved, clients):
    """Each client has rows of its own, but for the first, which all share."""
    own = {(client, row): Buffer(f"{row.name} of {client}", 8) for client in range(clients) for row in ROWS[1:]}
    copies = {
        client * len(moved) + name: {own.get((client, row), row): amount for row, amount in each.items()}
        for client in range(clients)
        for name, each in moved.items()
    }
    assert len(folded(copies)[0]) <= len(moved)
    assert _rates(folded({name: {ROWS[0]: 0.0} | each for name, each in moved.items()})[0]) == _rates(moved)
    if all_positive(Equations(folded(copies)[0]).scaled):
        assert _rates(moved)


def test_two_flows_that_exchange_units_are_determined_together():
    """One flow takes the units that the other puts: neither has a rate without the other."""
    first, second = ROWS[:2]
    there, back = {first: 1.0, second: -1.0}, {first: -1.0, second: 1.0}
    assert folded({0: there, 1: back}) == ({0: {first: 0.0}}, {0: [0, 1]})
    rising, _ = folded({0: {first: 2.0, second: -1.0}, 1: {first: -1.0, second: 2.0}})
    assert rising == {0: {first: 1.0}}, (
        "each level has one who raises it and one who lowers it, and together they rise"
    )


@given(flows, columns)
def test_rows_of_weight_zero_do_not_change_the_verdict(moved, difference):
    """True if ``difference`` changes a weighted level that no flow changes."""
    left, weightless = undetermined(moved)
    whole = Equations(moved, ROWS).kept([difference])
    moves = {row: amount for row, amount in difference.items() if row not in weightless}
    small = Equations(left, moves).kept([moves]) if moves else {}
    assert set(small) <= set(ROWS) - weightless
    assert bool(small) == bool(whole)
    if small:
        for each in moved.values():
            assert abs(sum(small.get(row, 0.0) * amount for row, amount in each.items())) < 1e-9


def test_a_flow_that_moves_one_row_leaves_others_unchanged():
    """The first row goes with flow 0, the second with flow 1, which then moves it alone; the third stays."""
    first, second, third = ROWS[:3]
    left, weightless = undetermined({0: {first: 1.0}, 1: {first: 2.0, second: 1.0}, 2: {second: 1.0, third: -1.0}})
    assert weightless == {first, second, third}
    left, weightless = undetermined({0: {first: 1.0}, 1: {first: 2.0, second: 1.0, third: 1.0}})
    assert weightless == {first}
    assert left[1] == {second: 1.0, third: 1.0}


@pytest.mark.parametrize(("pairs", "leak"), [(2, 1e-6), (5, 1e-6), (14, 3e-6), (48, 1e-5)])
def test_small_leak_of_one_among_many_equal_flows_is_detected(pairs, leak):
    """Of two who hand slots on, one loses a slot now and then; all share the slots."""
    slots, loads = Buffer("slots", 10_000, initial=10_000), []
    for pair in range(pairs):
        queue = Buffer(f"queue {pair}", 100)
        hand = Choose((1 - leak, [Put(queue)]), (leak, [])) if not pair else Put(queue)
        loads += [
            Closed(f"first {pair}", clients=2, path=[Take(slots), Delay(1e-5), hand]),
            Closed(f"second {pair}", clients=2, path=[Take(queue), Delay(1e-5), Put(slots)]),
        ]
    assert {0, 1} <= set(ends(Model(loads)))


@pytest.mark.parametrize("share", [1e-2, 1e-3, 1.5e-3, 1e-4])
def test_flows_that_are_opposite_within_rounding_do_not_compensate(share):
    """Units moved by one user from the first buffer to the second come back by another; a third drains."""
    first, second = (Buffer(name, 10**6, initial=10**5) for name in ("first", "second"))
    moved = Choose((1 - share, [Put(first, 8)]), (share, [Put(second, 8)]))
    model = Model(
        [
            Closed("drain", clients=1, path=[Take(first), Delay(1e-3)]),
            Closed("back", clients=1, path=[Take(second), Put(first), Delay(1e-5)]),
            Closed("user", clients=4, path=[Take(first, 8), Delay(1e-5), moved]),
        ]
    )
    assert 0 in ends(model)


def test_rates_of_very_different_sizes_are_found():
    """A chain of flows, each a hundred times as fast as the one before; none once the first level leaks."""
    chain = 0.01 * np.eye(5, 6) - np.eye(5, 6, 1)
    assert all_positive(chain)
    assert not all_positive(np.vstack([chain, np.eye(1, 6)]))
