"""A stack file is the system that it describes; one that is not in order is refused with file, line and name."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Closed, Delay, Exponential, Hold, Model, Pool, Station, Use
from sim.engine.errors import InputError, StackFileError
from sim.prediction import RunOptions, predict
from sim.system import find
from sim.system.case import Case
from stack_files import DISK

QUICK = RunOptions(precision=0.05, answers=("throughput",))


def by_hand(users, block):
    """The model of the file, in Python."""
    time = Exponential(4e-3 + block / 150e6)
    path = Hold(Pool("tags", 2), Delay(50e-6), Use(Station("arm"), time))
    return Model([Closed(f"client {user}", clients=1, path=path, group="clients") for user in range(1, users + 1)])


def test_a_stack_file_builds_the_model_that_it_describes(replaced):
    scenario = Case.of(find(str(replaced())), {"users": 3, "block": "8k"}).scenario
    expected = by_hand(3, 8192)
    assert scenario.model.workloads == expected.workloads
    assert set(scenario.model.places) == set(expected.places)
    assert (scenario.watch, scenario.amount, scenario.unit) == ("clients", 8192 / 1e6, "MB/s")


def test_a_stack_file_is_a_system_like_others(replaced):
    path = str(replaced())
    prediction = predict(path, {"users": 2}, QUICK)
    assert prediction.record()["system"] == "disk"
    assert prediction.throughput.value == pytest.approx(14.7, rel=0.1)
    assert [each.name for each in prediction.assumed] == ["commands", "bus"]


def test_a_stack_file_can_be_sent_to_another_process(replaced):
    system = pickle.loads(pickle.dumps(find(str(replaced()))))  # noqa: S301  (made here)
    assert Case.of(system, {}).scenario.model.workloads == by_hand(4, 65536).workloads


def test_a_setting_has_the_kind_that_its_default_is_of(replaced):
    kinds = 'flagged = true\nshare = 0.5\npause = "3ms"\nspeed = "1GB/s"\nblock = "64KiB"'
    settings = {each.name: each for each in find(str(replaced('block = "64KiB"', kinds))).settings}
    assert {name: type(each).__name__ for name, each in settings.items()} == {
        "users": "Count",
        "flagged": "Flag",
        "share": "Number",
        "pause": "Quantity",
        "speed": "Quantity",
        "block": "Size",
        "op": "Choice",
    }
    assert (settings["pause"].default, settings["speed"].default, settings["block"].default) == (3e-3, 1e9, 65536)
    assert settings["users"].high == 1000


def test_a_parameter_has_unit_bounds_range_basis_and_source(replaced):
    access, commands, bus = find(str(replaced())).parameters.entries
    assert (access.value, access.unit, access.low, access.high) == (4e-3, "s", 1e-3, 16e-3)
    assert (access.basis, access.source, access.likely) == ("derived", "a", (3e-3, 5e-3))
    assert (commands.value, commands.basis, commands.likely) == (2.0, "assumed", None)
    assert (bus.value, bus.unit) == (150e6, "bytes/s")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "clients on one disk"', "", "title is missing; add it"),
        (
            'title = "clients on one disk"',
            "titel = 'x'\ntitle = 'x'",
            r"line 1: titel is 'x'; did you mean 'title'",
        ),
        ("[settings]", "[settings", r"is no TOML: .* \(at line 3"),
        ("users = {", "users = { defalt = 1,", r"line 4: .*defalt.* did you mean 'default'"),
        ("range = [1, 1000]", "range = [5, 1000]", r"line 4: setting users is '4'; allowed: .* from 5 to 1000"),
        ("range = [1, 1000]", "range = [1]", r"line 4"),
        (
            'block = "64KiB"',
            'block = "64 apples"',
            r"line 5: setting block is '64 apples'; allowed: a number, or a si",
        ),
        ('op = { default = "read"', 'op = { default = "rea"', r"line 6: setting op is .rea.; did you mean"),
        (
            'value = "4ms"',
            'value = "20ms"',
            r"line 9: parameter 'access' is 20 ms; allowed: from 1 ms to 16 ms",
        ),
        ('["1ms", "16ms"]', '["1MB", "16MB"]', "line 9: bounds of access and its value have different units"),
        ('["1ms", "16ms"]', '["16ms", "1ms"]', "line 9: bounds of access are 0.016 and 0.001; allowed: the lower"),
        ('source = "a"', 'source = ""', "line 9: parameter 'access' is derived, and has no source"),
        ('basis = "derived"', 'basis = "guess"', r"line 9: .*'guess'; .*published"),
        ("users = ", "seed = ", "line 4: setting 'seed' has the name of an option of answers; rename it"),
        ("commands = 2", "users = 2", "line 4: 'users' is a setting and a parameter"),
        ("commands = 2", '"a b" = 2', "line 10: parameter 'a b'; allowed: a name of letters"),
        (
            'clients = "users"',
            'client = "users"',
            r"line 14: 'clients' has no field 'client'; did you mean 'clients'",
        ),
        ('clients = "users"', 'clients = "user"', r"line 14: clients is 'user'; allowed: a whole number"),
        ("[load]", '[load]\nkind = "clint"', r"line 14: no kind 'clint'; did you mean 'clients'"),
        ('kind = "station"', 'kind = "statoin"', r"line 19: no kind of place 'statoin'; did you mean 'station'"),
        (
            'name = "arm"',
            'name = "arm"\nserver = 2',
            r"line 21: 'arm' \(station\) has no field 'server'; did you mean",
        ),
        ('name = "arm"', 'name = "bus"', r"line 20: 'bus' \(station\) is a setting or parameter, too; rename one"),
        ('name = "tags"', 'name = "arm"', r"line 24: the name 'arm' is taken"),
        ('name = "disk"', 'name = "controller"', r"the name 'controller' is taken"),
        ('kind = "steps"\nname = "disk"', 'kind = "step"\nname = "disk"', r"no kind 'step'"),
        ('kind = "steps"\nname = "disk"', 'name = "disk"', r"layer has no kind; add kind"),
        (
            'kind = "steps"\nname = "disk"',
            'kind = "ufs"',
            r"nearest: .*journal.* model it: shared-ext4, shared-file; or .*steps",
        ),
        ('kind = "steps"\nname = "disk"', 'kind = "xyz"', r"no kind 'xyz'; .*; or write it in bare steps"),
        ('time = "access"', "time = 0.004", r"is '0.004'; write its unit, such as 0.004us"),
        (
            'use = "arm"',
            'use = "arn"',
            r"line 35: 'disk' \(steps\): steps\[1\] names 'arn', .* did you mean 'arm'",
        ),
        ('use = "arm"', 'use = "tags"', r"names 'tags', which is no place for it; allowed: arm"),
        ('use = "arm"', 'uses = "arm"', r"steps\[1\] says nothing to do; did you mean 'use'"),
        ('use = "arm",', 'use = "arm", delay = "1ms",', r"steps\[1\] says use and delay"),
        ('time = "access"', 'tine = "access"', r"steps\[1\] has 'tine'; did you mean 'time'"),
        ('time = "access"', 'time = "acces"', r"steps\[1\].* is 'acces'; allowed: a time"),
        ("{ below = true } ] } ]", "{ below = 1 } ] } ]", r"goes below, where no layer is"),
        ('{ delay = "50us" }, ', '{ delay = "-50us" }, ', r"delay is '-50us'"),
        ("steps = [ { use", "steps = 3 # [ { use", r"steps is 3; allowed: a list of steps"),
        ('distribution = "exponential" } ]', 'distribution = "exponential" }, { below = true } ]', "no layer is"),
    ],
)
def test_invalid_stack_file_is_refused_in_one_line(replaced, old, new, message):
    path = replaced(old, new)
    with pytest.raises(StackFileError) as refused:
        Case.of(find(str(path)), {}).scenario  # noqa: B018  (it is built)
    (line,) = str(refused.value).splitlines()
    assert re.search(message, line), line
    assert "disk.toml" in line


def test_the_layer_below_follows_where_no_step_says_when(replaced):
    path = replaced(
        '[ { hold = "tags", steps = [ { delay = "50us" }, { below = true } ] } ]', '[ { delay = "1ms" } ]'
    )
    scenario = Case.of(find(str(path)), {}).scenario
    assert len(scenario.model.workloads[0].path) == 2  # the layer below follows where no step says so


def test_files_that_cannot_be_read(tmp_path):
    for path, message in (
        (tmp_path / "none.toml", "cannot read stack file .*: No such file"),
        (tmp_path / "x.toml", "no text in UTF-8"),
        (tmp_path / "large.toml", "larger than 1 MiB"),
    ):
        if path.name == "x.toml":
            path.write_bytes(b"\xff")
        if path.name == "large.toml":
            path.write_text("#" * (1 << 20) + "\n")
        with pytest.raises(StackFileError, match=message):
            find(str(path))


@given(st.data())
def test_any_damage_is_read_or_refused(tmp_path_factory, data):
    begin = data.draw(st.integers(0, len(DISK)))
    end = data.draw(st.integers(begin, min(len(DISK), begin + 20)))
    other = data.draw(
        st.sampled_from(["", "[", "}", '"', "=", "-1", "1e400", "nan", "true", "[[layer]]", "\x00", "é"])
    )
    path = tmp_path_factory.mktemp("damage") / "disk.toml"
    path.write_text(DISK[:begin] + other + DISK[end:], encoding="utf-8")
    try:
        Case.of(find(str(path)), {}).scenario  # noqa: B018  (it is built)
    except InputError as error:
        line = str(error)
    else:
        return
    assert len(line.splitlines()) == 1
    assert len(line) < 600


def test_allowed_word_takes_precedence_over_a_name(replaced):
    path = replaced('op = "op"', 'op = "write"')
    path.write_text(path.read_text().replace("commands = 2", "commands = 2\nwrite = 3"))
    scenario = Case.of(find(str(path)), {"users": 2}).scenario
    assert scenario.model.workloads == by_hand(2, 65536).workloads


def test_allowed_word_of_a_bare_step_takes_precedence_over_a_name(replaced):
    """A parameter may be called read or exponential, and means itself only where no such word is allowed."""
    path = replaced('distribution = "exponential"', 'distribution = "exponential", only = "read"')
    path.write_text(path.read_text().replace("commands = 2", 'commands = 2\nread = "9ms"\nexponential = 7'))
    scenario = Case.of(find(str(path)), {"users": 2}).scenario
    assert scenario.model.workloads == by_hand(2, 65536).workloads


def test_fields_that_do_not_go_together_are_refused_with_file_and_line_once(tmp_path):
    """Of a layer that lies below another."""
    file = tmp_path / "copies.toml"
    file.write_text(
        'title = "none is left"\n[load]\nclients = 1\n\n[[layer]]\nkind = "stripe"\ncount = 2\n\n[[layer]]\n'
        'kind = "replicas"\ncopies = 3\nlost = 3\n\n[[layer]]\nkind = "ssd"\n'
    )
    with pytest.raises(StackFileError) as refused:
        Case.of(find(str(file)), {}).scenario  # noqa: B018
    said = "lost is 3 of 3 copies; allowed: fewer than copies, as one holds data"
    assert str(refused.value).endswith(f"copies.toml' line 9: 'replicas': {said}")
    assert str(refused.value).count("stack file") == 1


UNITS_FILE = """\
title = "units"
[settings]
block = "4KiB"
[parameters]
wire = VALUE
trip = "50us"
[load]
clients = 1
[[layer]]
kind = "link"
bandwidth = "wire"
round_trip = "TRIP"
[[layer]]
kind = "ssd"
"""


@pytest.mark.parametrize(
    ("wire", "trip", "says"),
    [
        ('"1.18GB"', "trip", "line 11: bandwidth of 'link' is 'wire', which is a size; allowed: a rate in"),
        ('"5us"', "trip", "line 11: bandwidth of 'link' is 'wire', which is a time; allowed: a rate in"),
        ('"1GB/s"', "block", "line 12: round_trip of 'link' is 'block', which is a size; allowed: a time"),
        (
            '"1GB/s"',
            "wire",
            "line 12: round_trip of 'link' is 'wire', which is a rate in bytes a second; allowed: a t",
        ),
    ],
)
def test_a_name_of_another_unit_is_refused(tmp_path, wire, trip, says):
    file = tmp_path / "units.toml"
    file.write_text(UNITS_FILE.replace("VALUE", wire).replace("TRIP", trip))
    with pytest.raises(StackFileError, match=re.escape(says)):
        find(str(file))
    file.write_text(UNITS_FILE.replace("VALUE", '"1GB/s"').replace("TRIP", "trip"))
    assert find(str(file)).parameters["wire"] == 1e9


TURNS = """
title = "a reader of small pieces beside a writer of large ones"

[[load]]
block = "4KiB"

[[load]]
name = "writer"
block = "64KiB"
depth = 4

[[place]]
kind = "station"
name = "thread"

[[layer]]
kind = "steps"
steps = [ { use = "thread", bandwidth = "4.096GB/s"%s } ]
"""


@pytest.mark.parametrize(("turn", "small_s"), [("", 65e-6), (', turn = "4KiB"', 5e-6)])
def test_in_turns_a_small_request_does_not_wait_for_whole_large_ones(tmp_path, turn, small_s):
    """Of 4 KiB in 1 us behind four of 16: for all of them, or for a piece of each."""
    path = tmp_path / "turns.toml"
    path.write_text(TURNS % turn)
    prediction = predict(find(str(path)), {}, RunOptions(precision=0.01))
    assert prediction.answers["mean"].estimate.value == pytest.approx(small_s, rel=0.01)


def test_a_turn_has_no_distribution(tmp_path):
    path = tmp_path / "turns.toml"
    path.write_text(TURNS % ', turn = "4KiB", distribution = "exponential"')
    with pytest.raises(InputError, match="has a turn and a distribution; leave one of them out"):
        Case.of(find(str(path)), {}).scenario  # noqa: B018


def test_two_settings_of_one_role_are_refused_with_both_names(replaced):
    users = 'users = { default = 4, range = [1, 1000], help = "processes" }'
    twice = f'{users}\nstreams = {{ default = 1, help = "more", role = "clients" }}'
    with pytest.raises(
        StackFileError, match="settings 'users' and 'streams' both have the role 'clients'; allowed: "
    ):
        find(str(replaced(users, twice)))


def test_first_of_several_loads_gives_a_setting_its_role(replaced):
    users = 'users = { default = 4, range = [1, 1000], help = "processes" }'
    path = replaced(users, f'{users}\nwriters = {{ default = 1, help = "others" }}')
    text = path.read_text().replace("[load]", "[[load]]")
    path.write_text(
        text.replace("[[place]]", '[[load]]\nclients = "writers"\nblock = "block"\nop = "op"\n\n[[place]]', 1)
    )
    assert {each.name: each.means for each in find(str(path)).settings if "e" in each.name} == {
        "users": "clients",
        "writers": "",
    }
