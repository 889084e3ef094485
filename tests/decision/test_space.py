"""Ranges of settings: what is read, in which order, and what is refused."""

from __future__ import annotations

import pytest

from sim.decision.space import space_of
from sim.engine.errors import InputError
from sim.system import Parameters, Settings, System
from sim.system.settings import Choice, Count, Flag, Number, Size
from toy import TOY

SETTINGS = Settings(
    (
        Count("cells", 1, "", 1, 20),
        Size("block", 4096, ""),
        Choice("link", "ddr", "", ("sdr", "ddr", "qdr")),
        Flag("mirror", default=True, help=""),
        Number("share", 0.5, ""),
    )
)
SYSTEM = System("s", "a system", SETTINGS, Parameters(()), lambda *_: None)


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("cells=1..4", (1, 2, 3, 4)),
        ("cells=14,3,7", (3, 7, 14)),
        ("block=4KiB..32KiB", (4096, 8192, 16384, 32768)),
        ("block=3KiB..7KiB", (3072, 6144)),
        ("link=qdr,sdr", ("qdr", "sdr")),
        ("mirror=yes,no", (True, False)),
        ("share=0.5,0.25", (0.5, 0.25)),
        ("share=0.1..0.5/0.1", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("cells=2..14/2", (2, 4, 6, 8, 10, 12, 14)),
        ("cells=1..10/4", (1, 5, 9)),
        ("cells=1..20x2", (1, 2, 4, 8, 16)),
        ("cells=2..20x3", (2, 6, 18)),
        ("block=4KiB..16KiB/4KiB", (4096, 8192, 12288, 16384)),
        ("block=4KiB..64KiBx4", (4096, 16384, 65536)),
    ],
)
def test_numbers_and_sizes_are_sorted_and_words_keep_their_order(word, values):
    assert space_of(SYSTEM, [word]).axes[0].values == values


def test_the_first_setting_counts_most_and_a_single_value_is_fixed():
    space = space_of(SYSTEM, ["cells=1,2", "share=0.1", "link=sdr,qdr", "block=4KiB..4KiB"])
    assert [each.design for each in space.candidates()] == [
        {"cells": cells, "link": link} for cells in (1, 2) for link in ("sdr", "qdr")
    ]
    assert space.fixed == {"share": 0.1, "block": 4096}
    assert space.shown({"cells": 2, "link": "qdr"}) == "cells=2 link=qdr"


def test_a_candidate_is_within_another_with_as_much_of_everything():
    space = space_of(SYSTEM, ["cells=1,2", "link=sdr,qdr"])
    small, words, cells, large = space.candidates()
    assert small.within(words)
    assert small.within(large)
    assert small.within(small)
    assert not words.within(cells)
    assert not cells.within(words)


def test_without_ranges_there_is_one_candidate():
    assert [each.design for each in space_of(TOY, ["clients=3"]).candidates()] == [{}]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["cell=1..3"], "no setting 'cell'; did you mean 'cells'"),
        (["cells=3..1"], "the smaller end first"),
        (["cells=1..3..5"], "allowed: a range such as 1..8"),
        (["cells=..5"], "allowed: a range such as 1..8"),
        (["cells=1..21"], "allowed: a whole number from 1 to 20"),
        (["cells=1,1"], "given twice"),
        (["share=0.1..0.2"], "a range is of whole numbers or sizes; add one, such as 0.1..0.2/0.1, or list"),
        (["cells=1-14"], "cells is '1-14'; did you mean 1..14"),
        (["block=4KiB-64KiB"], "did you mean 4KiB..64KiB"),
        (["cells=1..20*2"], r"did you mean 1..20x2\? a shell takes \* for itself"),
        (["cells=1..20x1"], "as a factor a whole number from 2 on"),
        (["cells=1..3x1.5"], "cells is '1..3x1.5'; allowed: as a factor a whole number from 2 on, such as x2"),
        (["cells=1..8x0.5"], "as a factor a whole number from 2 on"),
        (["cells=1..8x"], "as a factor a whole number from 2 on"),
        (["block=4KiB..8KiBx-2"], "as a factor a whole number from 2 on"),
        (["share=0..1x2"], "a range from above 0"),
        (["cells=1..20/0"], "allowed: as a step a whole number from 1 to 20"),
        (["cells=1..20/-1"], "cells is '1..20/-1'; allowed: as a step a whole number from 1 to 20"),
        (["cells=1..20/0.5"], "allowed: as a step a whole number from 1 to 20"),
        (["cells=1..20/"], "allowed: as a step a whole number from 1 to 20"),
        (["block=4KiB..8KiB/0"], "allowed: as a step a whole number of bytes from 1B"),
        (["share=0.1..0.5/0"], "allowed: as a step above 0: a number from 0 to 1"),
        (["mirror=no..yes"], "it has no ranges; list the values"),
        (["share=0..1/0.000001"], "at most 100000 values"),
        (["link=sdr..qdr"], "allowed: qdr, sdr, ddr|allowed: ddr, qdr, sdr"),
        (["cells"], "is not a setting"),
    ],
)
def test_invalid_range_is_refused(words, says):
    with pytest.raises(InputError, match=says):
        space_of(SYSTEM, words)


def test_too_many_candidates_are_refused():
    many = System(
        "s", "a system", Settings((Count("a", 1, ""), Count("b", 1, ""))), Parameters(()), lambda *_: None
    )
    with pytest.raises(InputError, match="make 400000 candidates; allowed: 100000"):
        space_of(many, ["a=1..1000", "b=1..400"])
    with pytest.raises(InputError, match="at most 100000 values"):
        space_of(many, ["a=1..1000000"])


def test_where_the_largest_is_looked_for_it_comes_first():
    space = space_of(SYSTEM, ["block=4KiB..16KiB", "cells=1..3"], largest="cells")
    assert [axis.setting.name for axis in space.axes] == ["cells", "block"]
    assert [axis.values for axis in space.axes] == [(3, 2, 1), (4096, 8192, 16384)]
    assert space.largest == "cells"
    assert space_of(SYSTEM, ["share=0.5,0.1,0.9"], largest="share").axes[0].values == (0.9, 0.5, 0.1)


@pytest.mark.parametrize(
    ("words", "largest", "says"),
    [
        (["cells=1..3"], "block", "'block' does not vary, so that none is the largest; allowed: cells"),
        (["cells=3"], "cells", "does not vary.*give it a range"),
        (["link=ddr,qdr"], "link", "none of the values of link is the largest: they are no numbers"),
        (["mirror=no,yes"], "mirror", "they are no numbers"),
    ],
)
def test_setting_without_a_largest_value_is_refused(words, largest, says):
    with pytest.raises(InputError, match=says):
        space_of(SYSTEM, words, largest)
