"""`stacksim stack`, and stack files in the other commands."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from models.stacks.questions import QUESTIONS
from sim.cli.app import app
from sim.cli.stack_new import _module
from sim.engine.errors import StacksimError
from stack_files import DISK


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.toml"
    path.write_text(DISK)
    return path


def run(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(result.exception, StacksimError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_check_reports_validity_and_the_laws_tested(disk, monkeypatch):
    monkeypatch.chdir(disk.parent)
    head, direction, proportion, passed, constant, slow = run("stack", "check", "disk.toml").splitlines()
    assert head == "disk.toml is valid: 4 workloads and 2 places with default settings"
    assert direction == (
        "laws: 3 numbers, each doubled and halved: where that should lose nothing, throughput never falls"
    )
    assert proportion == "laws: all times and rates 2 times as fast: 1.994 times the throughput"
    assert passed == "bytes of a request: controller 64KiB, disk 64KiB"
    assert constant == (
        "warning: stack file 'disk.toml' line 27: 'controller' (steps) has delay = 50us, which is out of reach of "
        "--set, fit and bands; make it a parameter"
    )
    assert slow.startswith(
        "warning: all times and rates 2 times as fast give 1.994 times the throughput: some time or rate"
    )


def test_check_accepts_a_file_whose_times_are_all_parameters(disk):
    disk.write_text(
        DISK.replace('delay = "50us"', 'delay = "hop"').replace("commands = 2", 'commands = 2\nhop = "50us"')
    )
    lines = run("stack", "check", disk).splitlines()
    assert "laws: all times and rates 2 times as fast: 2.000 times the throughput" in lines
    assert not [line for line in lines if line.startswith("warning")]


def test_check_warns_of_unused_settings_even_of_failures(disk):
    moved = DISK.replace("[parameters]", 'foo = 3\n\n[parameters]\nread = "2us"')
    disk.write_text(moved + '\n[[failure]]\npart = "foo"\nset = { foo = 4 }\n')
    said = [
        line.split(":")[1].strip() for line in run("stack", "check", disk).splitlines() if "nothing uses" in line
    ]
    assert said == ["nothing uses foo", "nothing uses read"], "read is a word of op, not that parameter"


def test_check_warns_where_more_resources_are_slower(disk):
    slower = DISK.replace(
        '{ delay = "50us" }', '{ delay = "50us" }, { repeat = "helpers", steps = [ { delay = "hop" } ] }'
    )
    disk.write_text(
        slower.replace("commands = 2", 'commands = 2\nhop = "9ms"').replace("block =", "helpers = 2\nblock =", 1)
    )
    (line,) = [line for line in run("stack", "check", disk).splitlines() if "loses" in line and "from 2" in line]
    assert line.startswith("warning: helpers from 2 to 4 loses ")


def test_check_warns_of_bytes_that_a_layer_swallows(disk):
    half = "{ choose = [ { share = 0.5, steps = [ { below = true } ] }, { share = 0.5, steps = [] } ] }"
    disk.write_text(DISK.replace("{ below = true }", half))
    lines = run("stack", "check", disk).splitlines()
    assert "bytes of a request: controller 64KiB, disk 32KiB" in lines
    assert "warning: of 64KiB that controller is asked for, disk below it gets 32KiB" in lines


def test_show_draws_load_and_layers_from_top_to_bottom(disk):
    lines = run("stack", "show", disk).splitlines()
    assert lines[0] == "clients on one disk"
    boxes = ("load: clients", "controller", "disk (")
    order = [next(number for number, line in enumerate(lines) if text in line) for text in boxes]
    assert order == sorted(order)
    assert any("time = access, bandwidth = bus" in line for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.fixture
def linked(tmp_path):
    """A stack whose link is named, and whose drive has a figure of its own beside those of the catalogue."""
    path = tmp_path / "linked.toml"
    path.write_text(
        'title = "a link"\n[settings]\nfabric = { default = "fc-4", options = ["fc-2", "fc-4"] }\n'
        '[[layer]]\nkind = "link"\nhardware = "fabric"\n'
        '[[layer]]\nkind = "ssd"\nhardware = "intel-s3700"\nbandwidth = "0.4GB/s"\n'
    )
    return path


def test_check_lists_values_from_the_catalogue(linked):
    lines = run("stack", "check", linked).splitlines()
    assert "link: bandwidth = 425 MB/s, from fc-4: INCITS FC-PI-2: 4.25 Gb/s, 8b/10b" in lines
    assert [line.split(" = ")[0] for line in lines[2:6]] == [
        "ssd: iops", "ssd: write_iops", "ssd: write_bandwidth", "ssd: latency",
    ]  # fmt: skip


def test_show_marks_values_from_the_catalogue(linked):
    drawn = [line.strip("│ ") for line in run("stack", "show", linked).splitlines()]
    at = drawn.index("from fc-4: INCITS FC-PI-2: 4.25 Gb/s, 8b/10b")
    assert drawn[at - 1 : at + 2] == ["hardware = fabric", drawn[at], "bandwidth = 425 MB/s"]
    assert "latency = read 50 µs, write 65 µs" in drawn
    assert "bandwidth = 500 MB/s" not in drawn, "the file has its own"


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_show_draws_a_picture(disk, tmp_path, ending):
    picture = tmp_path / f"stack.{ending}"
    assert run("stack", "show", disk, "--picture", picture) == ""
    assert picture.stat().st_size > 2000


def test_the_schema_is_json_with_every_kind():
    made = json.loads(run("stack", "schema"))
    kinds = {each["properties"]["kind"]["const"] for each in made["properties"]["layer"]["items"]["oneOf"]}
    assert {"steps", "ssd", "cores", "file", "limits"} <= kinds


def test_other_commands_take_a_stack_file(disk, tmp_path):
    options = ("--watch", "throughput", "--precision", "20%", "--quiet")
    assert "saturated: " in run("predict", disk, "users=8", "--set", "bus=100MB/s", *options)
    assert run("sweep", disk, "users=1,2", "--set", "access=3ms,4ms", *options).count("ms  ") >= 4
    assert "clients on one disk" in run("systems", disk)
    picture = tmp_path / "request.png"
    run("trace", disk, "--picture", picture, "--precision", "20%", "--quiet")
    assert picture.is_file()


def test_an_explanation_without_any_effect_has_no_empty_table(disk):
    text = (
        DISK.replace("[settings]", "[settings]\nlimit = 1000")
        .replace('"access"', '"1us"')
        .replace('"bus"', '"1GB/s"')
    )
    disk.write_text(text.replace('clients = "users"', "clients = 1"))
    out = run("predict", disk, "--explain", "--watch", "throughput", "--precision", "20%", "--quiet")
    after = out.split("changes throughput by\n")[1]
    assert after.strip() == "no effect here: access, commands, bus"


def test_other_files_are_refused(disk):
    with pytest.raises(StacksimError, match=r"is no stack file; name one that ends in \.toml"):
        run("stack", "check", disk.with_suffix(".txt"))


def test_rates_are_shown_as_they_were_read(tmp_path):
    file = tmp_path / "link.toml"
    layers = '[[layer]]\nkind = "link"\nbandwidth = "speed"\n[[layer]]\nkind = "ssd"\nbandwidth = "3Gb/s"\n'
    file.write_text(f'title = "t"\n[parameters]\nspeed = "25Gb/s"\nwait = 0.001\n{layers}latency = "wait"\n')
    lines = run("stack", "check", file).splitlines()
    assert "rates: link bandwidth 3125MB/s, ssd bandwidth 375MB/s" in lines
    assert any(line.startswith("warning: wait stands for a time and has no unit") for line in lines)


def test_the_help_of_new_lists_every_question_with_its_answers():
    out = " ".join(run("stack", "new", "-h").split())
    for each in QUESTIONS:
        assert f"{each.name} {each.text}: {', '.join(each.options)}" in out


def test_postgresql_on_gp3_is_found_and_written():
    assert "PostgreSQL on a gp3 volume: `stacksim stack new FILE`" in run("systems")
    assert "gp3" in run("stack", "new", "-h")
    written = run("stack", "new", "-", "load=postgresql", "device=cloud-volume")
    assert 'database = "postgresql"' in written
    assert "iops = { value = 3000" in written


def test_the_help_of_new_says_that_no_package_has_questions(monkeypatch):
    monkeypatch.setattr("sim.cli.stack_new.registered", lambda _: {})
    _module.cache_clear()
    assert "no installed package has questions for a stack file" in run("stack", "new", "-h")
    _module.cache_clear()
