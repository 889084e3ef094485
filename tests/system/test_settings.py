"""Settings and units: what people write is read as they mean it, anything else is refused with one line."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import InputError
from sim.engine.errors import nearest, shown
from sim.engine.units import EVERYDAY, _scale_of_pint, factor, quantity, size_text
from sim.system.installed import systems
from sim.system.quantities import Quantity
from sim.system.releases import ReleaseOf
from sim.system.settings import (
    Choice,
    Count,
    File,
    Flag,
    Number,
    Settings,
    Size,
    choice,
    complete,
    count,
    pairs,
    size,
)

repeatable = settings(derandomize=True)  # whichever test is first waits for pint

NODES = Count("nodes", 1, "nodes at work", high=64)
BLOCK = Size("block", 8192, "bytes a call", high=1 << 50)
OP = Choice("op", "write", "what is done", options=("write", "read"))
DIRECT = Flag("direct", default=True, help="without the page cache")
ALL = (NODES, BLOCK, OP, DIRECT)

EVERY = [*ALL, *(setting for system in systems().values() for setting in system.settings)]

every_setting = pytest.mark.parametrize("setting", EVERY, ids=lambda setting: setting.name)

every_kind = pytest.mark.parametrize(
    "setting", {type(setting): setting for setting in EVERY}.values(), ids=lambda setting: type(setting).__name__
)


def values_of(setting):
    """Values of a setting."""
    match setting:
        case Count() | Size():
            return st.integers(setting.low, setting.high)
        case Number():
            return st.decimals(setting.low, setting.high, places=9).map(float)
        case File():
            return st.just("none")
        case Choice():
            return st.sampled_from(setting.options)
        case Quantity():
            return st.floats(setting.low, min(setting.high, 1e15))
        case Flag():
            return st.booleans()
        case ReleaseOf():
            both = st.tuples(st.integers(0, setting.high[0]), st.integers(0, setting.high[1]))
            return both.filter(lambda value: setting.low <= value <= setting.high)


def refusal(action, *arguments):
    """The one line with which ``action`` is refused."""
    with pytest.raises(InputError) as caught:
        action(*arguments)
    (line,) = str(caught.value).splitlines()
    return line


# What a message repeats.


@pytest.mark.parametrize(
    ("given_value", "text"),
    [
        ("8 KiB", "8 KiB"),
        ("µ – 漢", "µ – 漢"),
        (None, "None"),
        ("a\nb\t\x1b[31m", "a\\nb\\t\\x1b[31m"),
        ("\udcff\udc80", "\\xff\\x80"),
        ("\ud800\u202e", "\\ud800\\u202e"),
        ("x" * 80, "x" * 80),
        ("\x00" * 80, "\\x00" * 12 + "\\…00" + "\\x00" * 7),
    ],
)
def test_quoted_values_are_short_and_printable(given_value, text):
    assert shown(given_value) == text


def test_long_value_is_quoted_by_beginning_and_end():
    assert shown("x" * 200_000 + "y" * 10) == "x" * 49 + "…" + "x" * 20 + "y" * 10
    assert shown("x" * 81) == "x" * 49 + "…" + "x" * 30
    assert shown(10**5000) == "a number of thousands of digits"
    assert nearest("x" * 200_000, ["nodes"]) == "allowed: nodes"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("DBFS", "did you mean 'dbfs'? "),
        ("Nodes", "did you mean 'NODES'? "),
        ("node", "did you mean 'NODES'? "),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_nearest_name_ignores_case(name, hint):
    assert nearest(name, ["dbfs", "NODES"]) == f"{hint}allowed: NODES, dbfs"


# Units.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("4096", 4096),
        ("1e3", 1000),
        ("-4KiB", -4096),
        ("32KiB", 32 << 10),
        ("32 KiB", 32 << 10),
        ("  32  KiB ", 32 << 10),
        ("0.5KiB", 512),
        (".5 KiB", 512),
        ("1kB", 1000),
        ("1 kB", 1000),
        ("1KB", 1000),
        ("1MB", 1e6),
        ("1.5 MB", 1.5e6),
        ("0.067GB", 67e6),
        ("3 GiB", 3 << 30),
        ("2TB", 2e12),
        ("7B", 7),
        ("7 bytes", 7),
        ("7 byte", 7),
        ("2 kilobytes", 2000),
        ("16 bit", 2),
        ("16b", 2),
        ("8 Kib", 1024),
        ("8 Mb", 1e6),
    ],
)
def test_bytes(text, value):
    assert quantity("block", text, "byte") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 s", 2),
        ("2 seconds", 2),
        ("7.3us", 7.3e-6),
        ("7.3 us", 7.3e-6),
        ("7.3µs", 7.3e-6),  # the micro sign
        ("7.3 μs", 7.3e-6),  # the Greek letter
        ("0.33 ms", 0.33e-3),
        ("1e-3ms", 1e-6),
        ("40ns", 40e-9),
        ("3 min", 180),
        ("1 h", 3600),
    ],
)
def test_seconds(text, value):
    assert quantity("time", text, "second") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("2 Gb/s", 0.25e9),
        ("2Gb/s", 0.25e9),
        ("2 Gbit/s", 0.25e9),
        ("2 Gbps", 0.25e9),
        ("3.2 GB/s", 3.2e9),
        ("3.2GB / s", 3.2e9),
        ("1 GiB/s", 1 << 30),
        ("1 KB/s", 1000),
        ("8 Mb/s", 1e6),
        ("4 B/ms", 4000),
    ],
)
def test_bytes_per_second(text, value):
    assert quantity("rate", text, "byte / second") == value


EXAMPLES = {"byte": "32KiB", "second": "7.3 us", "byte / second": "2 Gb/s"}


@pytest.mark.parametrize("unit", EXAMPLES)
@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "B", "s", "four", "4 parsecs", "4 percent", "4 dimensionless", "4 radian", "4 Hz", "4 kelvin"),
        *("4k", "4K", "4 KiB KiB", "4 s/s", "4 B/B", "4 /s", "4 QQB", "4 s/", "1,5 s", "1,5 B", "1 2", "0x10"),
        *("1_000", "1_000 B", "٤", "²", "nan", "nan s", "inf", "-inf B", "infinity", "1e999", "1e999 B"),
        *("2**3", "9**9**9**9", "(2)", "2*3 B", "1/0", "4;s", "__import__('os')", "[1]"),
    ],
)
def test_invalid_quantity_is_refused_with_an_example(text, unit):
    line = refusal(quantity, "speed", text, unit)
    assert line.startswith(f"speed is '{text}'; allowed: a number with a unit of {unit}")
    assert EXAMPLES[unit] in line


@pytest.mark.parametrize(
    ("text", "unit"),
    [("4 s", "byte"), ("4 B/s", "byte"), ("4 KiB", "second"), ("4 B", "byte / second"), ("4 ms", "byte / second")],
)
def test_a_unit_of_another_kind_is_refused(text, unit):
    assert f"unit of {unit}" in refusal(quantity, "it", text, unit)


BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@pytest.mark.parametrize(("kind", "written"), [(kind, each) for kind, units in EVERYDAY.items() for each in units])
def test_everyday_units_agree_with_pint(kind, written):
    assert EVERYDAY[kind][written] == _scale_of_pint(written, kind)
    for unit in chain.from_iterable(EVERYDAY.values()):
        scale = _scale_of_pint(written, unit)
        assert factor(written, unit) == (scale and pytest.approx(scale, rel=1e-14))


def test_everyday_units_do_without_pint():
    read = "bytes_of('block', '8KiB'); quantity('t', '3us', 'second'); quantity('r', '2GB/s', 'byte / second')"
    others = "assert factor('ms', 'byte') is None; assert factor('GB/s', 'MB/s') == 1000.0"
    script = f"import sys; from sim.engine.units import bytes_of, factor, quantity; {read}; {others}"
    subprocess.run([sys.executable, "-c", f"{script}; assert 'pint' not in sys.modules"], check=True)


@repeatable
@given(st.integers(0, 10**6), st.sampled_from(sorted(BYTES)), st.sampled_from(("", " ")))
def test_whole_numbers_of_any_unit_are_exact(number, unit, blank):
    assert quantity("block", f"{number}{blank}{unit}", "byte") == number * BYTES[unit]


@repeatable
@given(st.integers(0, 10**9))
def test_thousandths_are_exact(thousandths):
    assert quantity("block", f"{thousandths / 1000:.3f} kB", "byte") == thousandths


@repeatable
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_bare_number_is_read_as_python_writes_it(number):
    assert quantity("rate", repr(number), "byte / second") == number


@pytest.mark.parametrize("text", ["450", "1e-3", "0.5", "-3"])
def test_a_time_without_its_unit_is_refused(text):
    assert f"write its unit, such as {text}us" in refusal(quantity, "drive", text, "second")
    assert quantity("drive", "0", "second") == 0.0


@repeatable
@given(st.text())
def test_any_text_is_read_or_refused(text):
    for unit in EXAMPLES:
        try:
            assert math.isfinite(quantity("it", text, unit))
        except InputError:
            continue


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0B"),
        (1, "1B"),
        (1000, "1000B"),
        (1024, "1KiB"),
        (1536, "1536B"),
        (3 << 19, "1536KiB"),
        (1 << 20, "1MiB"),
        (5 << 30, "5GiB"),
        (1 << 40, "1TiB"),
        (1 << 50, "1024TiB"),
        (10**6, "1MB"),
        (512 * 10**6, "512MB"),
        (64_000, "64000B"),
        (4 * 10**12, "4TB"),
        (1_024_000, "1000KiB"),
    ],
)
def test_sizes_are_written_in_the_unit_in_which_they_are_short(size, text):
    assert size_text(size) == text


# Settings.


@every_kind
@repeatable
@given(data=st.data())
def test_shown_setting_is_parsed_back(setting, data):
    value = data.draw(values_of(setting))
    for given_value in (value, setting.show(value)):
        found = setting.parse(given_value)
        assert found == value
        assert type(found) is type(value)


@every_setting
def test_the_default_is_allowed(setting):
    assert setting.parse(setting.default) == setting.default
    assert setting.parse(setting.show(setting.default)) == setting.default
    assert setting.allowed
    assert setting.help


@every_kind
@repeatable
@given(st.none() | st.text() | st.floats() | st.binary() | st.lists(st.integers()))
def test_any_value_is_parsed_or_refused_with_the_allowed_form(setting, thing):
    try:
        value = setting.parse(thing)
    except InputError as error:
        assert str(error).startswith(f"{setting.name} is '{shown(thing)}'; ")  # noqa: PT017  (not every text is refused)
        assert "allowed: " in str(error)  # noqa: PT017
    else:
        assert setting.parse(setting.show(value)) == value


@pytest.mark.parametrize("given_value", ["4", " 4 ", "04", 4, np.int64(4), np.uint8(4)])
def test_count_is_parsed(given_value):
    found = NODES.parse(given_value)
    assert (found, type(found)) == (4, int)


@pytest.mark.parametrize(
    "given_value",
    [
        0,
        -1,
        65,
        True,
        4.0,
        1.5,
        math.nan,
        None,
        "0",
        "65",
        "-1",
        "1.5",
        "4.0",
        "1e1",
        "1_0",
        "٤",
        "four",
        "",
        "9" * 5000,
    ],
)
def test_invalid_count_is_refused(given_value):
    expected = f"nodes is '{shown(given_value)}'; allowed: a whole number from 1 to 64"
    assert refusal(NODES.parse, given_value) == expected


@pytest.mark.parametrize(
    "given_value",
    ["32KiB", "32 KiB", "32768", "32k", "32K", "32Ki", "0.032768MB", 32768, 32768.0, np.int64(32768)],
)
def test_size_is_parsed(given_value):
    found = BLOCK.parse(given_value)
    assert (found, type(found), BLOCK.show(found)) == (32768, int, "32KiB")


@pytest.mark.parametrize(
    "given_value",
    [
        0,
        -1,
        1.5,
        True,
        math.nan,
        math.inf,
        None,
        1 << 51,
        "0",
        "-4KiB",
        "1.5B",
        "0.1KiB",
        "2 PiB",
        "3 parsecs",
        "4 s",
        "",
    ],
)
def test_invalid_size_is_refused(given_value):
    expected = (
        f"block is '{given_value}'; allowed: a whole number of bytes from 1B to 1024TiB, such as 32KiB or 1MiB"
    )
    assert refusal(BLOCK.parse, given_value) == expected


@pytest.mark.parametrize(
    ("given_value", "size"),
    [
        *(("64", 64), ("64k", 65536), ("64 K", 65536), ("64KiB", 65536), ("2m", 2 << 20), ("2M", 2 << 20)),
        *(("2MB", 2_000_000), ("1g", 1 << 30), ("1GB", 10**9), ("0.5k", 512), ("1e1k", 10240)),
    ],
)
def test_a_size_is_read_as_dd_and_fio_read_it(given_value, size):
    assert BLOCK.parse(given_value) == size


@pytest.mark.parametrize(
    ("given_value", "hint"),
    [
        ("8kB", "dd reads a kB as 1000 bytes, fio as 1024: write '8KiB', or the number of bytes; "),
        ("8 KB", "dd reads a kB as 1000 bytes, fio as 1024: write '8KiB', or the number of bytes; "),
        ("8Kb", "b is for bits; did you mean '8KiB'? "),
        ("8Mb", "b is for bits; did you mean '8MiB'? "),
        ("8Kib", "b is for bits; did you mean '8KiB'? "),
        ("16b", "b is for bits; did you mean '16B'? "),
        ("16 bit", "b is for bits; did you mean '16B'? "),
        ("8KIB", "did you mean '8KiB'? "),
        ("8mB", "did you mean '8MiB'? "),
        ("8x", ""),
    ],
)
def test_a_size_with_two_readings_is_refused_with_both(given_value, hint):
    assert refusal(BLOCK.parse, given_value).startswith(f"block is '{given_value}'; {hint}allowed: ")


def test_choice_is_parsed():
    assert [OP.parse(option) for option in OP.options] == ["write", "read"]
    assert OP.allowed == "write, read"


@pytest.mark.parametrize(
    ("given_value", "line"),
    [
        ("wriet", "op is 'wriet'; did you mean 'write'? allowed: read, write"),
        ("Read", "op is 'Read'; did you mean 'read'? allowed: read, write"),
        ("WRITE", "op is 'WRITE'; did you mean 'write'? allowed: read, write"),
        ("", "op is ''; allowed: read, write"),
        (1, "op is '1'; allowed: read, write"),
        (None, "op is 'None'; allowed: read, write"),
    ],
)
def test_invalid_choice_is_refused(given_value, line):
    assert refusal(OP.parse, given_value) == line


@pytest.mark.parametrize(("given_value", "value"), [("yes", True), ("no", False), (True, True), (False, False)])
def test_flag_is_parsed(given_value, value):
    assert DIRECT.parse(given_value) is value
    assert DIRECT.show(value) == ("yes" if value else "no")


@pytest.mark.parametrize("given_value", ["always", "", 1, 0, None, 0.0])
def test_invalid_flag_is_refused(given_value):
    assert refusal(DIRECT.parse, given_value) == f"direct is '{given_value}'; allowed: yes, no"


@pytest.mark.parametrize("given_value", ["off", "False", "0"])
def test_no_flag_but_one_elsewhere(given_value):
    line = f"direct is '{given_value}'; did you mean 'no'? allowed: yes, no"
    assert refusal(DIRECT.parse, given_value) == line


@pytest.mark.parametrize("given_value", ["Yes", "YES", "yse", "on", "true", "1"])
def test_no_flag_but_near_one(given_value):
    line = f"direct is '{given_value}'; did you mean 'yes'? allowed: yes, no"
    assert refusal(DIRECT.parse, given_value) == line


# All settings of a system together.


def test_defaults_are_filled_in_and_the_order_is_that_of_the_settings():
    found = complete(ALL, {"op": "read", "nodes": "4"})
    assert list(found.items()) == [("nodes", 4), ("block", 8192), ("op", "read"), ("direct", True)]
    assert complete(ALL, found) == found


@pytest.mark.parametrize(
    ("given_values", "line"),
    [
        ({"node": 4}, "no setting 'node'; did you mean 'nodes'? allowed: block, direct, nodes, op"),
        ({"": 4}, "no setting ''; allowed: block, direct, nodes, op"),
        ({"nodes": 0}, "nodes is '0'; allowed: a whole number from 1 to 64"),
    ],
)
def test_an_unknown_setting_or_value_is_refused(given_values, line):
    assert refusal(complete, ALL, given_values) == line


def test_pairs_are_split_at_the_first_equals_sign():
    assert pairs([]) == {}
    assert pairs(["nodes=4", "name=a=b", "block=32 KiB"]) == {"nodes": "4", "name": "a=b", "block": "32 KiB"}


@pytest.mark.parametrize("word", ["nodes", "nodes=", "=4", "=", ""])
def test_a_word_that_is_no_pair_is_refused(word):
    assert refusal(pairs, ["users=8", word]).startswith(f"'{word}' is not a setting; write setting=value")


def test_a_setting_given_twice_is_refused():
    line = refusal(pairs, ["nodes=1", "users=8", "nodes=2"])
    assert line == "setting 'nodes' is given twice ('1' and '2'); give it once"


def test_a_decimal_number_is_read_and_shown():
    skew = Number("skew", 0.9, "of the law", high=3.0)
    assert [skew.parse(given) for given in ("0.9", "2", 1, 0.25)] == [0.9, 2.0, 1.0, 0.25]
    assert skew.show(0.9) == "0.9"


def test_a_number_is_refused_as_it_was_written():
    with pytest.raises(InputError, match=r"skew is '4'; allowed"):
        Number("skew", 0.9, "of the law", high=3.0).parse("4")


@pytest.mark.parametrize("given", ["3.1", "-1", "1e0", "1_0", "nan", "", True, None, float("nan")])
def test_other_numbers_are_refused(given):
    with pytest.raises(InputError, match=r"skew is '.*'; allowed: a number from 0 to 3"):
        Number("skew", 0.9, "of the law", high=3.0).parse(given)


def test_a_file_setting_is_an_existing_file_or_none(tmp_path):
    there = tmp_path / "trace.csv"
    there.write_text("", encoding="utf-8")
    trace = File("trace", "none", "to replay")
    assert [trace.parse(given) for given in ("none", str(there))] == ["none", str(there)]
    with pytest.raises(InputError, match="allowed: a file that can be read, or none"):
        trace.parse(str(tmp_path))


@pytest.mark.parametrize(
    "made", [count(5, "users", low=10), choice("z", "which", ("a", "b")), size(1, "bytes", low=2)]
)
def test_a_default_that_is_not_allowed_is_refused_where_it_is_written(made):
    record = dataclasses.make_dataclass("Record", [("users", int, made)], frozen=True)
    with pytest.raises(InputError, match=r"users is '[5z1]'; "):
        Settings.of(record)


def test_a_role_is_stated_or_is_the_name_and_no_other_word():
    rows = Settings(
        (
            Count("users", 1, "who ask", role="clients"),
            Size("block", 4096, "bytes"),
            Flag("fast", default=False, help="x"),
        )
    )
    assert [setting.means for setting in rows] == ["clients", "block", ""]
    assert [setting.name for setting in rows.of_role("block", "clients", "depth")] == ["block", "users"]
    with pytest.raises(InputError, match=r"^role of 'users' is 'client'; did you mean 'clients'\?"):
        Count("users", 1, "who ask", role="client")


def test_two_settings_of_one_role_are_refused_unless_each_program_has_one():
    users, streams = Count("users", 1, "who ask", role="clients"), Count("streams", 1, "who ask", role="clients")
    wrong = r"^settings 'users' and 'streams' both have the role 'clients'; allowed: one; give the other one"
    with pytest.raises(InputError, match=wrong):
        Settings((users, streams))
    calls = tuple(Size(name, 4096, "bytes of a call", role="chunk") for name in ("cp_block", "dd_block"))
    assert Settings(calls).of_role("chunk") == [*calls]
