"""Files of loads: what is read, and what is refused."""

from __future__ import annotations

import pytest

from sim.decision.loads import _span, loads_of, refuse_given
from sim.engine.errors import InputError
from toy import TOY

LOADS = """\
[[load]]
name = "day"
hours = "8-18"
goals = ["p99<=2ms"]
settings = { clients = 30 }
[[load]]
name = "night"
hours = "22-6"
settings = { clients = 5, items = 3 }
"""


def loads(tmp_path, text=LOADS):
    path = tmp_path / "loads.toml"
    path.write_text(text)
    return loads_of(TOY, path)


def test_loads_have_settings_goals_and_hours(tmp_path):
    day, night = loads(tmp_path)
    assert (day.name, day.hours, day.goals, day.settings) == ("day", "8-18", ("p99<=2ms",), {"clients": 30})
    assert (night.goals, night.settings) == ((), {"clients": 5, "items": 3})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('"22-6"', '"17-6"'), "'day' and 'night' both have the hour from 17"),
        (('"22-6"', '"6-6"'), "allowed: from-to"),
        (('"22-6"', '"22-25"'), "allowed: from-to"),
        (('"22-6"', "22"), "allowed: from-to"),
        (('"night"', '"day"'), "two loads have the same name"),
        (('name = "night"', ""), "name is 'None'"),
        (("items = 3", "item = 3"), "no setting 'item'; did you mean 'items'"),
        (("items = 3", "items = 99"), "allowed: a whole number"),
        (('["p99<=2ms"]', '"p99<=2ms"'), "allowed: a list"),
        (("goals", "goal"), "has no 'goal'; did you mean 'goals'"),
        (("[[load]]", "[load]"), "is no TOML|allowed: "),
        (("[[load]]", "other = 1\n[[load]]"), r"allowed: \[\[load\]\] tables"),
    ],
)
def test_a_wrong_file_of_loads_is_refused_in_one_line(tmp_path, change, says):
    with pytest.raises(InputError, match=says) as refused:
        loads(tmp_path, LOADS.replace(*change))
    assert "\n" not in str(refused.value)


def test_load_that_fixes_a_searched_setting_is_refused(tmp_path):
    refuse_given(loads(tmp_path), ["second"])
    with pytest.raises(InputError, match="load 'night' fixes items, which is given, too"):
        refuse_given(loads(tmp_path), ["items"])


def test_loads_are_counted_from_one(tmp_path):
    with pytest.raises(InputError, match=", load 1: name"):
        loads(tmp_path, LOADS.replace('name = "day"', ""))
    with pytest.raises(InputError, match=", load 2: name"):
        loads(tmp_path, LOADS.replace('name = "night"', ""))


def test_hours_are_of_the_day_and_may_pass_midnight():
    assert [_span(each) for each in ("8-10", "22-24", "23-1", "24-2")] == [[8, 9], [22, 23], [23, 0], [0, 1]]
    assert len(_span("0-24")) == 24
    assert [_span(each) for each in ("", "8-8", "8-25", "25-8", "8-x")] == [()] * 5
