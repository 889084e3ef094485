"""`stacksim measure` with a fio that knows its storage: plan, run, fit, answers, and nothing left behind."""

from __future__ import annotations

import io
import itertools
import json
import os
import re

import pytest

import measured_machine
import measured_page
from measured_machine import clean, only
from sim.engine.errors import TooLongError
from sim.system.installed import find
from stacksim.measuring import choice, dd, neighbours, then, workplace
from stacksim.measuring import facts as facts_module

ROOM = 10**12


def test_measure_fits_a_directory_and_answers_questions(machine, tmp_path, run):
    status, out, err = machine("--yes", "-q", "--then", "users=2 block=8KiB", "--then", "find p99<=1ms users=1..4")
    assert (status, err) == (0, "")
    assert clean(tmp_path)
    values = {each.name: each.value for each in find("measured/fitted.toml").parameters.entries}
    assert values["access"] == pytest.approx(measured_machine.ACCESS_S, rel=0.15)
    assert values["command"] == pytest.approx(measured_machine.COMMAND_S, rel=0.15)
    assert values["bandwidth"] == pytest.approx(measured_machine.BANDWIDTH, rel=0.15)
    assert "held out: 5 jobs, missed by" in out
    assert "twice the load: 2 jobs, missed by" in out
    assert "stack  users=2  block=8KiB" in out
    assert "goal" in out
    written = {each.name for each in (tmp_path / "measured").iterdir()}
    assert written == {
        "results",
        "meta.toml",
        "split.toml", "machine.json", "stack.toml", "fitted.toml", "fit.json", "percentiles.csv",
        "fitted.csv", "held-out.csv", "twice-the-load.csv",
        "page.html", "page.png",
    }  # fmt: skip
    whole_page(tmp_path / "measured", out)
    facts = json.loads((tmp_path / "measured/machine.json").read_text())
    assert facts["fio"] == "fio-3.33"
    assert len(list((tmp_path / "measured/results").iterdir())) == 34
    for words in (
        ("predict", "measured/fitted.toml", "users=4", "-q"),
        ("predict", "measured/stack.toml", "--fitted", "measured/fit.json", "-q"),
        ("data", "check", "measured"),
        ("report", "measured/held-out.csv", "--system", "measured/stack.toml", "--fitted", "measured/fit.json"),
    ):
        status, _, err = run(*words)
        assert (status, err) == (0, "")


def test_jobs_beside_those_that_a_first_fit_misses_are_measured_and_fitted(machine, tmp_path):
    """More than three processes are no faster here, which the stack does not know; no job is measured twice."""
    status, _, err = machine("--yes", "-q", fault="users = min(users, 3)")
    assert status == 0, err
    assert clean(tmp_path)
    names = [each.name[4:] for each in sorted((tmp_path / "measured/results").iterdir())]
    first, again = set(names[:34]), set(names[34:])
    assert 2 <= len(again) <= 6
    assert not first & again
    rows = (tmp_path / "measured/fitted.csv").read_text().splitlines()[1:]
    for name in again:
        op, block, users, *_ = name.split("-")
        assert sum(row.startswith(f"{users.removeprefix('users')},{block},{op},") for row in rows) == 1
    calls = (tmp_path / "bin/calls").read_text().splitlines()
    assert len([call for call in calls if "--rw=write" in call]) == 1, "both rounds have the same files"
    split = (tmp_path / "measured/split.toml").read_text()
    assert f"but for the last {len(again)} fitted" in split
    assert f"{len(rows)} fitted" in (tmp_path / "measured/page.html").read_text()


def test_failed_second_round_is_left_out_and_reported(machine, tmp_path):
    """The first round is fitted; nothing stays behind."""
    fault = 'users = min(users, 3)\nif called > 35: sys.exit("fio: no space left")'
    status, out, _ = machine("--yes", "-q", fault=fault)
    assert (status, clean(tmp_path)) == (0, True)
    assert "warning: no second round: " in out
    assert len(list((tmp_path / "measured/results").iterdir())) == 34
    assert "no second round: " in (tmp_path / "measured/machine.json").read_text()
    assert "Chosen before anything was run." in (tmp_path / "measured/split.toml").read_text()


def whole_page(folder, out):
    """Look at the page: what the terminal says stands there, warnings before all else, and nothing is missing."""
    page = measured_page.Page(folder / "page.html")
    assert page.sources
    assert all(each.startswith("data:") for each in page.sources)
    assert all(each["alt"] for each in page.images)
    assert page.place("No reason was found") < page.place("What was measured") < page.place("What limits")
    tables = (folder / "held-out.csv", folder / "twice-the-load.csv", folder / "fitted.csv")
    jobs = sum(len(each.read_text().splitlines()) - 1 for each in tables)
    assert len(page.cells(r"users=\d+ block=\w+ op=read")) == jobs
    for wanted in (
        "stack a device with one queue",
        "users=2 block=8KiB",
        "find p99<=1ms users=1..4",
        "known from",
        "bandwidth",
        "measure 3",
    ):
        assert page.place(wanted)
    assert next(line for line in out.splitlines() if line.startswith("held out")) in page.text
    assert re.findall(r"read 4KiB, (\d+) process", page.text) == ["1", "8", "64"]
    assert (folder / "page.png").read_bytes().startswith(b"\x89PNG")


def test_warnings_come_first_on_the_page_even_if_a_question_fails(machine, tmp_path, monkeypatch):
    def failed(*_, **__):
        raise TooLongError("this question has no answer")

    monkeypatch.setattr(neighbours, "_times", _busy())
    monkeypatch.setattr(then, "predict_case", failed)
    status, _, err = machine("--yes", "-q", "--then", "users=2")
    assert (status, err) == (2, "stacksim: this question has no answer\n")
    page = measured_page.Page(tmp_path / "measured/page.html")
    assert page.place("Warning: other processes keep 100% of all cores busy") < page.place("What was measured")
    assert "Answers of the fitted stack" not in page.text


def _busy():
    """Times of a machine all of whose processors are busy."""
    seconds = itertools.count()
    return lambda _: neighbours.Times(passed=float(now := next(seconds)), busy=float(now), stolen=0.0)


def test_a_dry_run_runs_nothing(machine, tmp_path):
    status, out, _ = machine("--dry-run", "--json", fault="sys.exit(1)")
    record = json.loads(out)
    assert status == 0
    assert {"path", "stack", "jobs", "seconds", "bytes_written"} <= record.keys()
    assert record["stack"] == measured_machine.STACK
    assert [job["role"] for job in record["jobs"]].count("held out") == 5
    assert record["seconds"] == pytest.approx(2 * 17 * 3.2)
    assert not (tmp_path / "bin/calls").exists()
    assert clean(tmp_path)


def test_a_dry_run_in_words_shows_the_stack_file(machine):
    _, out, _ = machine("--dry-run")
    assert measured_machine.STACK.strip() in out
    assert "17: 10 to be fitted, 5 held out, 2 at twice the load" in out


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_measure_asks_once(machine, tmp_path, monkeypatch, answer):
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    status, _, err = machine()
    assert status == 2
    assert "the answer was not yes" in err
    assert not (tmp_path / "bin/calls").exists()


def test_keep_option_keeps_the_files(machine, tmp_path):
    machine("--yes", "--keep", fault="sys.exit(1) if 'rand' in options['rw'] else None")
    (made,) = (tmp_path / "data").glob("stacksim-measure-*")
    assert len(list(made.iterdir())) == 16


def test_remains_of_an_earlier_measurement_are_reported(machine, tmp_path):
    (tmp_path / "data/stacksim-measure-abc").mkdir()
    _, out, _ = machine("--dry-run")
    assert "an earlier measurement was ended by force: stacksim-measure-abc may be deleted" in out


def room(monkeypatch, free, total, flags=0):
    """Let the file system have so much room."""
    real = os.statvfs("/")

    class Room:
        f_bavail, f_bfree, f_blocks, f_frsize, f_flag = free, free, total, 1, flags

    assert real
    monkeypatch.setattr(facts_module.os, "statvfs", lambda _: Room)


@pytest.mark.parametrize(
    ("free", "total", "flags", "message"),
    [
        (5 * 10**8, 10**12, 0, "has 0.5 GB left, and 1.07 GB of files would leave less than 10% of it"),
        (10**11, 10**12, 0, "would leave less than 10% of it"),
        (0, 0, 0, "has 0 GB left"),
        (10**12, 10**12, os.ST_RDONLY, "is mounted read-only"),
    ],
)
def test_without_room_no_files_are_made(machine, tmp_path, monkeypatch, free, total, flags, message):
    room(monkeypatch, free, total, flags)
    status, _, err = machine("--yes")
    assert status == 2
    assert message in err
    assert not (tmp_path / "bin/calls").exists()
    assert clean(tmp_path)


def test_without_room_remains_of_an_earlier_measurement_are_named(machine, tmp_path, monkeypatch):
    (tmp_path / "data/stacksim-measure-abc").mkdir()
    room(monkeypatch, 5 * 10**8, 10**12)
    status, _, err = machine("--dry-run")
    assert (status, err.count("\n")) == (2, 1)
    assert "of it; delete stacksim-measure-abc of an earlier measurement, make room, or name a directory" in err


def test_files_in_memory_take_a_share_of_it_only(tmp_path):
    facts = facts_module.facts_of(tmp_path)
    fields = {**vars(facts), "kind": "memory", "memory_bytes": 4 << 30, "free_bytes": ROOM, "total_bytes": ROOM}
    little = facts_module.Facts(**{**fields, "read_only": False})
    workplace.check_room(little, 1 << 30)
    with pytest.raises(Exception, match="more than 25% of"):
        workplace.check_room(little, (1 << 30) + 1)


def test_an_unwritable_directory_is_refused(machine, monkeypatch):
    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(workplace.tempfile, "mkdtemp", refused)
    status, _, err = machine("--yes", "-q")
    assert status == 2
    assert "no directory can be made in" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--yes", "--output", "data"), "'data' exists already; name another"),
        (("--yes", "--output", "no/where"), "there is no folder"),
        (("--yes", "--then", "p99<=2ms"), "allowed: settings, such as"),
        (("--yes", "--then", "find users=1..4"), "allowed: settings, such as"),
        (("--yes", "--then", "find users=4 p99<=2ms"), "nothing varies in the question"),
        (("--yes", "--then", "user=4"), "did you mean 'users'?"),
        (("--yes", "--then", "find p98<=2ms"), "p98"),
        (("--yes", "--then", "find 'p99<=2ms"), "a quote has no end"),
        (("--yes", "--then", ""), "allowed: settings, such as"),
        (("--yes", "--stack", "none.toml"), "none.toml"),
    ],
)
def test_invalid_arguments_are_refused_before_anything_is_run(machine, tmp_path, words, message):
    status, _, err = machine(*words)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "bin/calls").exists()


def test_a_question_is_refused_before_jobs_are_planned(machine, monkeypatch):
    monkeypatch.setattr("stacksim.measuring.session.plan", None)
    status, _, err = machine("--yes", "--then", "usrs=3")
    assert (status, err.count("\n")) == (2, 1)
    assert "no setting 'usrs'; did you mean 'users'?" in err


def test_dry_run_refuses_an_invalid_question(machine):
    status, _, err = machine("--dry-run", "--then", "usrs=3")
    assert (status, err.count("\n")) == (2, 1)
    assert "no setting 'usrs'; did you mean 'users'?" in err


def test_throughput_goals_seek_the_fewest_processes_and_latency_goals_the_most():
    system = choice.system_of(measured_machine.STACK)
    for text, users in (("find 'throughput>=60MB/s'", 2), ("find mean<=400us", 28)):
        question = then.question(text)
        question.check(system)
        assert question.answered(system, quiet=True).answer.design["users"] == users


def test_no_design_meets_a_percentile_unknown_to_the_fitted_stack():
    """All its times are constants, so that its p99 is its mean, which 28 users would keep."""
    system = choice.system_of(measured_machine.STACK)
    assert then.question("find p99<=400us users=28..29").answered(system, quiet=True).answer.design is None


@pytest.mark.parametrize("path", ["/proc", "/sys"])
def test_dry_run_refuses_what_a_measurement_refuses(machine, monkeypatch, path):
    status, _, err = machine("--dry-run", path=path)
    assert (status, err.count("\n")) == (2, 1)
    assert "where no files of one's own can be; name a directory on the storage to be measured" in err
    monkeypatch.setattr(workplace.os, "access", lambda _, wanted: not wanted & os.W_OK)
    _, _, err = machine("--dry-run")
    assert err.startswith("stacksim: no directory can be made in '")
    assert err.endswith("data': Permission denied; name another\n")


@pytest.mark.parametrize(
    ("path", "message"), [("none", "name a directory that exists"), ("stack.toml", "no directory")]
)
def test_path_that_is_no_directory_is_refused(machine, path, message):
    status, _, err = machine("--dry-run", path=path)
    assert status == 2
    assert message in err


def test_without_fio_and_dd_the_error_says_how_to_install_fio(machine, monkeypatch):
    only(monkeypatch)
    status, _, err = machine("--yes")
    assert status == 2
    assert "neither fio nor dd is installed; install fio" in err


def test_without_fio_json_reports_the_limits_of_dd(machine, tmp_path, monkeypatch):
    """Dd runs and is read; rates are those of the machine of the tests, as a busy one's might fit no stack."""
    run_dd = dd.Dd.run

    def run(self, job):
        result = run_dd(self, job)
        rates = result["jobs"][0][job.op]
        assert rates["bw_bytes"] > 0
        rates["bw_bytes"] = int(measured_machine.bytes_per_s(job.users, job.block))
        return result

    monkeypatch.setattr(dd.Dd, "run", run)
    monkeypatch.setattr(dd, "SECONDS", 100.0)  # a small file is written sooner, even there
    only(monkeypatch, "dd")
    monkeypatch.setattr(workplace, "FILE_BYTES", 1 << 20)
    status, out, err = machine("--yes", "-q", "--json")
    assert (status, err) == (0, "")
    assert "fio is not installed: dd reads and writes in sequence" in out
    assert json.loads((tmp_path / "measured/machine.json").read_text())["fio"] == ""
    assert not (tmp_path / "measured/meta.toml").exists()
    assert clean(tmp_path)
