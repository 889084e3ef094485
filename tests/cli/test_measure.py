"""`stacksim measure` with a fio that knows its storage: plan, run, fit, answers, and nothing left behind."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import shutil
import signal
from contextlib import nullcontext

import pytest

import measured_machine
import measured_page
from sim.calibration.measure import facts as facts_module
from sim.calibration.measure import neighbours, workplace
from sim.cli import fit as fits
from sim.cli import then
from sim.errors import InputError, TooLongError
from sim.system.installed import find

ROOM = 10**12


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """No further processes, and no looking at how busy this machine is, which would be told."""
    monkeypatch.setattr(fits, "workers", nullcontext)
    monkeypatch.setattr(neighbours, "LOOKS_SECONDS", 0.0)
    monkeypatch.setattr(neighbours, "_times", lambda _: neighbours.Times(0.0, 0.0, 0.0))


@pytest.fixture
def machine(tmp_path, monkeypatch, run):
    """A folder with a file in it, a stack file, and a fio; returns what calls the command there."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/theirs").write_text("precious")
    (tmp_path / "stack.toml").write_text(measured_machine.STACK)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    def measured(*words, fault="", path="data"):
        measured_machine.put_fio(tmp_path / "bin", fault)
        return run("measure", path, "--stack", "stack.toml", *words)

    return measured


def clean(tmp_path):
    """Whether the measured folder is as it was."""
    folder = tmp_path / "data"
    return [each.name for each in folder.iterdir()] == ["theirs"] and (folder / "theirs").read_text() == "precious"


def test_from_a_directory_to_answers(machine, tmp_path, run):
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
        "split.toml", "machine.json", "stack.toml", "fitted.toml", "fit.json",
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


def whole_page(folder, out):
    """Look at the page: what the terminal says stands there, warnings before all else, and nothing is missing."""
    page = measured_page.Page(folder / "page.html")
    assert page.sources
    assert all(each.startswith("data:") for each in page.sources)
    assert all(each["alt"] for each in page.images)
    assert page.place("Nothing was noticed") < page.place("What was measured") < page.place("What limits")
    tables = (folder / "held-out.csv", folder / "twice-the-load.csv", folder / "fitted.csv")
    jobs = sum(len(each.read_text().splitlines()) - 1 for each in tables)
    assert len(page.cells(r"users=\d+ block=\w+ op=read")) == jobs
    for wanted in ("users=2 block=8KiB", "find p99<=1ms users=1..4", "known from", "bandwidth", "measure 3"):
        assert page.place(wanted)
    assert next(line for line in out.splitlines() if line.startswith("held out")) in page.text
    assert re.findall(r"read 4KiB, (\d+) process", page.text) == ["1", "8", "64"]
    assert (folder / "page.png").read_bytes().startswith(b"\x89PNG")


def test_what_was_noticed_comes_first_on_the_page_and_a_question_that_fails_does_not_take_it(
    machine, tmp_path, monkeypatch
):
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
def test_it_asks_once(machine, tmp_path, monkeypatch, answer):
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    status, _, err = machine()
    assert status == 2
    assert "nobody said yes" in err
    assert not (tmp_path / "bin/calls").exists()


def test_files_are_kept_by_choice(machine, tmp_path):
    machine("--yes", "--keep", fault="sys.exit(1) if 'rand' in options['rw'] else None")
    (made,) = (tmp_path / "data").glob("stacksim-measure-*")
    assert len(list(made.iterdir())) == 16


@pytest.fixture
def device(tmp_path, monkeypatch):
    """A raw device."""
    (tmp_path / "device").write_bytes(bytes(1 << 20))
    monkeypatch.setattr(facts_module.Path, "is_block_device", lambda each: each.name == "device")
    return "device"


def test_a_raw_device_named_twice_is_read_alone(machine, tmp_path, device, monkeypatch):
    monkeypatch.setattr("sim.cli.measure.fit", lambda *_: (_ for _ in ()).throw(InputError("far enough")))
    status, out, err = machine("--raw", device, "--yes", "-q", path=device)
    assert (status, err) == (2, "stacksim: far enough\n")
    assert "a raw device of 0.00105 GB, which is only read" in out
    assert "and writes about 0 GB" in out
    calls = (tmp_path / "bin/calls").read_text().splitlines()
    assert len(calls) == 34
    wanted = ("--readonly", "--rw=randread", f"--filename={tmp_path / device}")
    assert all(word in call.split() for call in calls for word in wanted)
    assert 'title = "Random reads of raw on ' in (tmp_path / "measured/meta.toml").read_text()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("stacksim")] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "is a raw device, which is never written to; name a directory on it, or have it read: --raw device"),
        (("--raw", "data"), "the device is 'device', and --raw 'data'; name the same one twice"),
    ],
)
def test_a_raw_device_that_is_not_named_twice_is_refused(machine, device, words, message):
    status, _, err = machine("--dry-run", *words, path=device)
    assert (status, err.count("\n")) == (2, 1)
    assert message in err


def test_a_stack_with_writes_is_refused_for_a_raw_device(machine, tmp_path, device):
    (tmp_path / "stack.toml").write_text(measured_machine.STACK.replace('["read"]', '["read", "write"]'))
    status, _, err = machine("--dry-run", "--raw", device, path=device)
    assert (status, err.count("\n")) == (2, 1)
    assert 'a raw device is only read; write its setting as op = { default = "read", options = ["read"] }' in err


def test_a_raw_device_needs_fio(machine, device, monkeypatch):
    only(monkeypatch, "dd")
    status, _, err = machine("--dry-run", "--raw", device, path=device)
    assert (status, err) == (
        2,
        "stacksim: fio is not installed, and a raw device is read by nothing else; apt-get install fio\n",
    )


def test_what_an_earlier_measurement_left_is_told(machine, tmp_path):
    (tmp_path / "data/stacksim-measure-abc").mkdir()
    _, out, _ = machine("--dry-run")
    assert "an earlier measurement was ended by force: stacksim-measure-abc may be deleted" in out


Z = "z = dict(bw_bytes={}); print(json.dumps(dict(jobs=[dict(error={}, read=z, write=z)]))); sys.exit(0)"
"""A result in which so much was moved, with such an error."""

AT_JOB = "if 'rand' in options['rw']:\n    "
FAULTS = {
    "no space at the layout": (
        "print('fio: no space left on device', file=sys.stderr); sys.exit(1)",
        "no space left",
    ),
    "no space in a job": (f"{AT_JOB}sys.stderr.write('x\\nfio: ENOSPC\\n'); sys.exit(1)", "fio: ENOSPC"),
    "killed": (f"{AT_JOB}os.kill(os.getpid(), 9)", "ended by SIGKILL"),
    "out of memory": (f"{AT_JOB}os.kill(os.getpid(), 15)", "ended by SIGTERM"),
    "crash": (f"{AT_JOB}os.kill(os.getpid(), 11)", "ended by SIGSEGV"),
    "bus error": (f"{AT_JOB}os.kill(os.getpid(), 7)", "ended by SIGBUS"),
    "output cut short": (f'{AT_JOB}print(\'{{"jobs": [{{"jobname"\'); sys.exit(0)', "cut short or is none"),
    "no output": (f"{AT_JOB}sys.exit(0)", "cut short or is none: nothing"),
    "other output": (f"{AT_JOB}print('hello'); sys.exit(0)", "cut short or is none: hello"),
    "a list": (f"{AT_JOB}print('[1]'); sys.exit(0)", "cut short or is none"),
    "a result without jobs": (f"{AT_JOB}print('{{}}'); sys.exit(0)", "cut short or is none"),
    "jobs that are none": (f"{AT_JOB}print('{{\"jobs\": 3}}'); sys.exit(0)", "cut short or is none"),
    "nothing moved": (
        AT_JOB + Z.format("0", 0),
        "nothing was read or written",
    ),
    "an error within": (
        AT_JOB + Z.format("9", 5),
        "fio ended with error 5 (Input/output error)",
    ),
    "read-only meanwhile": (
        AT_JOB + Z.format("9", 30),
        "fio ended with error 30 (Read-only file system)",
    ),
    "a number that is none": (
        AT_JOB + Z.format("'x'", 0),
        "cut short or is none",
    ),
    "no text": (f"{AT_JOB}sys.stdout.buffer.write(bytes(range(256))); sys.exit(0)", "cut short or is none"),
    "an engine it lacks": (
        f"{AT_JOB}print('fio: engine libaio not loadable', file=sys.stderr); sys.exit(1)",
        "libaio",
    ),
    "the directory removed": (
        f"{AT_JOB}import shutil; shutil.rmtree(folder); print('no such directory', file=sys.stderr); sys.exit(1)",
        "no such directory",
    ),
    "its files removed": (
        f"{AT_JOB}[os.unlink(os.path.join(folder, x)) for x in os.listdir(folder)]; sys.exit(1)",
        "fio failed with status 1: nothing",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_fio_are_one_line_and_nothing_is_left(machine, tmp_path, name):
    fault, message = FAULTS[name]
    status, _, err = machine("--yes", "-q", fault=fault)
    assert status == 2
    assert err.count("\n") == 1
    assert message in err
    assert clean(tmp_path)
    assert not (tmp_path / "measured").exists()


def test_what_others_put_beside_our_files_stays(machine, tmp_path):
    fault = f"{AT_JOB}open(os.path.join(folder, 'new'), 'w').write('theirs'); sys.exit(1)"
    assert machine("--yes", "-q", fault=fault)[0] == 2
    (made,) = (tmp_path / "data").glob("stacksim-measure-*")
    assert [each.name for each in made.iterdir()] == ["new"]


def test_a_link_in_place_of_our_directory_is_not_followed(machine, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "data.0").write_text("precious")
    fault = f"{AT_JOB}import shutil; shutil.rmtree(folder); os.symlink({str(other)!r}, folder); sys.exit(1)"
    assert machine("--yes", "-q", fault=fault)[0] == 2
    assert (other / "data.0").read_text() == "precious"


def test_a_fio_that_hangs_is_ended(machine, tmp_path, monkeypatch):
    monkeypatch.setattr("sim.calibration.measure.fio.PATIENCE_SECONDS", -2.0)
    status, _, err = machine("--yes", "-q", fault=f"{AT_JOB}import time; time.sleep(60)")
    assert status == 2
    assert "did not end within" in err
    assert clean(tmp_path)


def test_a_clock_that_jumps_changes_no_figure(machine, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: -1e9)
    monkeypatch.setattr("sim.cli.measure.fit", lambda *_: (_ for _ in ()).throw(InputError("far enough")))
    assert machine("--yes", "-q")[2] == "stacksim: far enough\n"
    (row,) = (line for line in (tmp_path / "measured/fitted.csv").read_text().splitlines() if "1,4KiB" in line)
    service_s = measured_machine.COMMAND_S + 4096 / measured_machine.BANDWIDTH
    each_s = (measured_machine.ACCESS_S + service_s) / 0.97
    assert float(row.split(",")[4]) == pytest.approx(4096e-6 / each_s, rel=1e-3)
    assert clean(tmp_path)


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_signals_leave_nothing_behind(machine, tmp_path, number, status):
    fault = f"{AT_JOB}import signal, time; os.kill(os.getppid(), signal.{number}); time.sleep(60)"
    left, _, err = machine("--yes", "-q", fault=fault)
    assert left == status
    assert err.endswith("what was not finished is not written\n")
    assert clean(tmp_path)
    assert not (tmp_path / "measured").exists()


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_signals_while_files_are_laid_out_leave_nothing_behind(machine, tmp_path, number, status):
    fault = f"import signal, time; os.kill(os.getppid(), signal.{number}); time.sleep(60)"
    assert machine("--yes", "-q", fault=fault)[0] == status
    assert clean(tmp_path)


def test_the_interrupt_key_pressed_again_does_not_stop_the_cleaning(machine, tmp_path, monkeypatch):
    real = os.unlink

    def pressed(*words, **names):
        signal.raise_signal(signal.SIGINT)
        real(*words, **names)

    monkeypatch.setattr(workplace.os, "unlink", pressed)
    assert machine("--yes", "-q", fault=f"{AT_JOB}sys.exit(1)")[0] == 130
    monkeypatch.undo()
    assert clean(tmp_path)


def test_results_whose_folder_somebody_made_meanwhile_are_not_put_over_it(machine, tmp_path):
    theirs = tmp_path / "measured"
    fault = f"os.makedirs({str(theirs)!r}, exist_ok=True); open({str(theirs / 'theirs')!r}, 'w').close()"
    status, _, err = machine("--yes", "-q", fault=fault)
    assert status == 2
    assert "cannot write 'measured'" in err
    assert [each.name for each in theirs.iterdir()] == ["theirs"]


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
def test_without_room_nothing_is_made(machine, tmp_path, monkeypatch, free, total, flags, message):
    room(monkeypatch, free, total, flags)
    status, _, err = machine("--yes")
    assert status == 2
    assert message in err
    assert not (tmp_path / "bin/calls").exists()
    assert clean(tmp_path)


def test_files_in_memory_take_a_share_of_it_only(tmp_path):
    facts = facts_module.facts_of(tmp_path)
    fields = {**vars(facts), "kind": "memory", "memory_bytes": 4 << 30, "free_bytes": ROOM, "total_bytes": ROOM}
    little = facts_module.Facts(**{**fields, "read_only": False})
    workplace.check_room(little, 1 << 30)
    with pytest.raises(Exception, match="more than 25% of"):
        workplace.check_room(little, (1 << 30) + 1)


def test_a_directory_that_nothing_can_be_made_in(machine, monkeypatch):
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
        (("--yes", "--then", ""), "allowed: settings, such as"),
        (("--yes", "--stack", "none.toml"), "none.toml"),
    ],
)
def test_what_is_refused_before_anything_is_run(machine, tmp_path, words, message):
    status, _, err = machine(*words)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "bin/calls").exists()


@pytest.mark.parametrize(
    ("path", "message"), [("none", "name a directory that exists"), ("stack.toml", "no directory")]
)
def test_what_is_no_directory(machine, path, message):
    status, _, err = machine("--dry-run", path=path)
    assert status == 2
    assert message in err


def only(monkeypatch, *programs):
    """Let this machine have no other programs than these."""
    real = shutil.which
    monkeypatch.setattr("shutil.which", lambda name: real(name) if name in programs else None)


def test_without_fio_and_dd_it_says_how_to_get_it(machine, monkeypatch):
    only(monkeypatch)
    status, _, err = machine("--yes")
    assert status == 2
    assert "neither fio nor dd is installed; install fio" in err


def test_without_fio_dd_is_run_and_what_is_lost_is_told(machine, tmp_path, monkeypatch):
    only(monkeypatch, "dd")
    monkeypatch.setattr(workplace, "FILE_BYTES", 1 << 20)
    monkeypatch.setattr("sim.calibration.measure.dd.FILE_BYTES", 1 << 20)
    status, out, err = machine("--yes", "-q")
    assert (status, err) == (0, "")
    assert "fio is not installed: dd reads and writes in sequence" in out
    assert json.loads((tmp_path / "measured/machine.json").read_text())["fio"] == ""
    assert not (tmp_path / "measured/meta.toml").exists()
    assert clean(tmp_path)


def test_a_dd_that_fails_is_one_line(machine, tmp_path, monkeypatch):
    only(monkeypatch, "dd")
    dd = tmp_path / "bin/dd"
    dd.write_text("#!/bin/sh\necho 'dd: error writing: No space left on device' >&2\nexit 1\n")
    dd.chmod(0o755)
    status, _, err = machine("--yes", "-q")
    assert status == 2
    assert "the layout of the files: dd failed with status 1: dd: error writing: No space left on device" in err
    assert clean(tmp_path)


def test_results_that_cannot_be_written_leave_no_half_folder(machine, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sim.calibration.measure.results._table", full)
    status, _, err = machine("--yes", "-q")
    assert status == 2
    assert "cannot write 'measured': No space left on device" in err
    assert clean(tmp_path)
    assert not [each for each in tmp_path.iterdir() if each.name.startswith((".stacksim", "measured"))]
