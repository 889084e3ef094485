"""Price lists: what designs cost, and what is refused."""

from __future__ import annotations

import pytest

from sim.decision.costs import prices_of
from sim.engine.errors import InputError
from sim.system import Parameters, Settings, System
from sim.system.settings import Choice, Count, Flag, Size

SETTINGS = Settings(
    (
        Count("cells", 1, ""),
        Size("cache", 1 << 30, ""),
        Choice("link", "ddr", "", ("sdr", "ddr", "qdr")),
        Flag("mirror", default=True, help=""),
    )
)
SYSTEM = System("s", "a system", SETTINGS, Parameters(()), lambda *_: None)

LIST = """\
currency = "EUR"
months = 10
[cells]
purchase = 90000
month = 1200
[cache]
purchase = 8
per = "1GiB"
[link]
ddr = { purchase = 100 }
qdr = { purchase = 300, month = 7 }
[mirror]
month = 5
"""


def prices(tmp_path, text=LIST):
    path = tmp_path / "prices.toml"
    path.write_text(text)
    return prices_of(SYSTEM, path)


def test_a_design_costs_the_sum_of_its_parts(tmp_path):
    cost = prices(tmp_path).cost({"cells": 3, "cache": 4 << 30, "link": "qdr", "mirror": True})
    assert (cost.purchase, cost.month) == (3 * 90000 + 4 * 8 + 300, 3 * 1200 + 7 + 5)
    assert cost.total == cost.purchase + 10 * cost.month
    assert cost.record() == {
        "purchase": cost.purchase, "month": cost.month, "months": 10, "currency": "EUR", "total": cost.total
    }  # fmt: skip


def test_disabled_parts_are_free_and_three_years_are_the_default(tmp_path):
    cost = prices(tmp_path, "[mirror]\nmonth = 5\n[cells]\npurchase = 2\n").cost({"cells": 3, "mirror": False})
    assert (cost.purchase, cost.month, cost.months, cost.total) == (6, 0, 36, 6)


def test_a_word_without_a_price_beside_others_is_refused(tmp_path):
    with pytest.raises(InputError, match="no price of link=sdr; add"):
        prices(tmp_path).cost({"cells": 3, "cache": 0, "link": "sdr", "mirror": True})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[cell]\npurchase = 1", "no setting 'cell'; did you mean 'cells'"),
        ("[cells]\nprice = 1", "has no 'price'"),
        ("[cells]\npurchase = -1", "allowed: a number from 0"),
        ("[cells]\npurchase = 'much'", "allowed: a number from 0"),
        ("[cells]\npurchase = true", "allowed: a number from 0"),
        ("[cells]", "allowed: purchase = …"),
        ("[cache]\npurchase = 1\nper = '1kg'", "cache is '1kg'"),
        ("[link]\nfdr = { purchase = 1 }", "link is 'fdr'"),
        ("[link]\nddr = 5", "allowed: purchase = …"),
        ("month = 12", "'month' is no price"),
        ("months = -1", "months is '-1'"),
        ("currency = 1", "currency is '1'"),
        ("[cells", "is no TOML"),
    ],
)
def test_a_wrong_price_list_is_refused_in_one_line(tmp_path, text, says):
    with pytest.raises(InputError, match=says) as refused:
        prices(tmp_path, text)
    assert "\n" not in str(refused.value)


def test_a_price_list_that_is_missing_or_no_text_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read price list"):
        prices_of(SYSTEM, tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match="no text in UTF-8"):
        prices_of(SYSTEM, tmp_path / "odd.toml")
