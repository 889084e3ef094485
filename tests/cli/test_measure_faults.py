"""Faults during a measurement: one clear line each, and no file lost that was there before."""

from __future__ import annotations

import json
import os
import signal

import pytest

import measured_machine
from measured_machine import clean, only
from sim.engine.errors import InputError
from stacksim.measuring import workplace

MOMENTS = {"at first": 2, "midway": 20}
"""Which call of fio; the first lays out the files."""

MOVED = "z = dict(bw_bytes={}); print(json.dumps(dict(jobs=[dict(error={}, read=z, write=z)]))); sys.exit(0)"
"""A result in which so much was moved, with such an error."""

CUT = "cut short or is none"
OLD = "print(json.dumps(dict(jobs=[dict(error=0, read=dict(bw=1), write=dict(bw=1))]))); sys.exit(0)"

FAULTS = {
    "no space": ("print('fio: no space left on device', file=sys.stderr); sys.exit(1)", "no space left"),
    "no space in two lines": (
        "sys.stderr.write('x\\nfio: ENOSPC\\n'); sys.exit(1)",
        "status 1: fio: ENOSPC; fix it",
    ),
    "no space on a long way": (
        "sys.stderr.write('fio: %s: No space left on device: write offset=1\\n' % ('/x' * 99)); sys.exit(9)",
        "fio failed with status 9: No space left on device; fix it",
    ),
    "an error in what it prints": (
        "print('fio: pid=7, err=2/file:filesetup.c:805, error=No such file or directory\\n{\\n}'); sys.exit(1)",
        "fio failed with status 1: No such file or directory; fix it",
    ),
    "a complaint without end": ("sys.stderr.write('x' * 10**6); sys.exit(1)", "fio failed with status 1: xxx"),
    "killed": ("os.kill(os.getpid(), 9)", "ended by SIGKILL; measure again"),
    "told to end": ("os.kill(os.getpid(), 15)", "ended by SIGTERM; measure again"),
    "crash": ("os.kill(os.getpid(), 11)", "ended by SIGSEGV"),
    "bus error": ("os.kill(os.getpid(), 7)", "ended by SIGBUS"),
    "output cut short": ('print(\'{"jobs": [{"jobname"\'); sys.exit(0)', CUT),
    "no output": ("sys.exit(0)", f"{CUT}: nothing"),
    "other output": ("print('hello'); sys.exit(0)", f"{CUT}: hello"),
    "no text": ("sys.stdout.buffer.write(bytes(range(256))); sys.exit(0)", CUT),
    "a list": ("print('[1]'); sys.exit(0)", CUT),
    "a result without jobs": ("print('{}'); sys.exit(0)", CUT),
    "jobs that are none": ("print('{\"jobs\": 3}'); sys.exit(0)", CUT),
    "a fio that is too old": (OLD, CUT),
    "a number that is none": (MOVED.format("'x'", 0), CUT),
    "not a number": (MOVED.format("float('nan')", 0), CUT),
    "more than storage moves": (MOVED.format("1e30", 0), CUT),
    "nothing moved": (MOVED.format("0", 0), "nothing was read or written"),
    "a clock that jumps back": (MOVED.format("-5", 0), "is the storage hanging, or the clock wrong?"),
    "an error within": (MOVED.format("9", 5), "fio ended with error 5 (Input/output error)"),
    "read-only meanwhile": (MOVED.format("9", 30), "fio ended with error 30 (Read-only file system)"),
    "an engine it lacks": ("print('fio: engine libaio not loadable', file=sys.stderr); sys.exit(1)", "libaio"),
    "the directory removed": (
        "import shutil; shutil.rmtree(folder); print('no such directory', file=sys.stderr); sys.exit(1)",
        "no such directory",
    ),
    "fio removed": ("os.unlink(sys.argv[0])", "fio cannot be started: No such file or directory; fix it"),
}


def at(call, fault):
    """Code of a fio that fails at one of its calls."""
    return f"if called == {call}:\n    {fault}"


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_line_and_nothing_is_left(machine, tmp_path, name, moment):
    fault, message = FAULTS[name]
    status, _, err = machine("--yes", "-q", fault=at(MOMENTS[moment], fault))
    assert status == 2
    assert err.count("\n") == 1
    assert len(err) < 400
    assert message in err
    assert clean(tmp_path)
    assert not (tmp_path / "measured").exists()


@pytest.mark.parametrize("name", ["no space", "killed", "output cut short", "a clock that jumps back"])
def test_a_fault_while_files_are_laid_out_is_one_line(machine, tmp_path, name):
    fault, message = FAULTS[name]
    status, _, err = machine("--yes", "-q", fault=at(1, fault))
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("stacksim: the layout of the files: ")
    assert message in err
    assert clean(tmp_path)


GONE, ELSEWHERE = "cannot be found: No such file or directory", "was put elsewhere by somebody; measure again"

OTHERS = {
    "files removed": ("[os.unlink(each) for each in ours]", GONE),
    "the last file removed": ("os.unlink(ours[-1])", GONE),
    "a file written to": ("open(ours[0], 'w').write('x')", "was changed by somebody; measure again"),
    "a file made a link": (
        "os.unlink(ours[0]); os.symlink(other + '/data.0', ours[0])",
        ELSEWHERE,
    ),
    "a file made another name of one": (
        "os.unlink(ours[0]); os.link(other + '/data.0', ours[0])",
        "was changed by somebody; measure again",
    ),
    "a file made a folder": ("os.unlink(ours[0]); os.mkdir(ours[0])", ELSEWHERE),
    "the directory removed": ("shutil.rmtree(folder)", GONE),
    "the directory made a link": (
        "shutil.rmtree(folder); os.symlink(other, folder)",
        ELSEWHERE,
    ),
    "the directory moved": ("os.rename(folder, other + '/moved')", GONE),
}


@pytest.mark.parametrize("name", OTHERS)
def test_change_of_our_files_by_others_ends_the_measurement_before_the_next_write(machine, tmp_path, name):
    change, message = OTHERS[name]
    other = tmp_path / "other"
    other.mkdir()
    (other / "data.0").write_text("precious")
    ours = "ours = sorted(os.path.join(folder, each) for each in os.listdir(folder))"
    status, _, err = machine(
        "--yes", "-q", fault=at(2, f"import shutil; other = {str(other)!r}; {ours}; {change}")
    )
    assert (status, err.count("\n")) == (2, 1)
    assert message in err
    assert len((tmp_path / "bin/calls").read_text().splitlines()) == 2
    assert (other / "data.0").read_text() == "precious"
    assert (tmp_path / "data/theirs").read_text() == "precious"


def test_files_of_others_in_our_folder_are_kept(machine, tmp_path):
    assert machine("--yes", "-q", fault=at(2, "open(os.path.join(folder, 'new'), 'w'); sys.exit(1)"))[0] == 2
    (made,) = (tmp_path / "data").glob("stacksim-measure-*")
    assert [each.name for each in made.iterdir()] == ["new"]


def test_two_measurements_in_one_directory_do_not_disturb_each_other(machine, tmp_path):
    with workplace.workplace(tmp_path / "data", [], keep=False):
        status, _, err = machine("--yes", "-q")
        assert (status, err.count("\n")) == (2, 1)
        assert "another measurement is at work in '" in err
    assert not (tmp_path / "bin/calls").exists()
    assert machine("--dry-run")[0] == 0
    assert clean(tmp_path)


def test_a_parent_of_the_results_that_goes_away_is_one_line(machine, tmp_path):
    (tmp_path / "out").mkdir()
    status, _, err = machine(
        "--yes", "-q", "--output", "out/measured", fault=at(30, f"os.rmdir({str(tmp_path / 'out')!r})")
    )
    assert (status, err.count("\n")) == (2, 1)
    assert "cannot write 'out/measured': No such file or directory" in err
    assert clean(tmp_path)


def test_results_are_kept_beside_a_folder_that_appeared_in_between(machine, tmp_path):
    taken = f"os.mkdir({str(tmp_path / 'measured')!r}); open({str(tmp_path / 'measured/theirs')!r}, 'w')"
    status, _, err = machine("--yes", "-q", fault=at(30, taken))
    assert (status, err.count("\n")) == (2, 1)
    (made,) = tmp_path.glob(".stacksim-*")
    assert f"Directory not empty; the results are in '{made}'" in err
    assert len([*(made / "results").iterdir()]) > 0
    assert [each.name for each in (tmp_path / "measured").iterdir()] == ["theirs"]
    assert clean(tmp_path)


def test_measurements_are_kept_if_the_fit_fails(machine, tmp_path, monkeypatch):
    monkeypatch.setattr("stacksim.measuring.work.fit", far_enough)
    assert machine("--yes", "-q")[2] == "stacksim: far enough\n"
    assert len(list((tmp_path / "measured/results").iterdir())) == 34
    assert (tmp_path / "measured/held-out.csv").exists()


def far_enough(*_):
    """In the place of a fit."""
    raise InputError("far enough")


def test_a_job_that_hangs_is_ended_and_costs_no_other(machine, tmp_path, monkeypatch):
    monkeypatch.setattr("stacksim.measuring.work.fit", far_enough)
    status, _, err = machine("--yes", "-q", "--wait", "0s", fault=at(2, "import time; time.sleep(60)"))
    assert (status, err) == (2, "stacksim: far enough\n")
    (lost,) = (
        each for each in json.loads((tmp_path / "measured/machine.json").read_text())["notes"] if "hang" in each
    )
    name, _, said = lost.partition(": ")
    assert said.startswith("fio did not end within 2 s")
    assert not list((tmp_path / "measured/results").glob(f"*-{name}.json"))
    assert len(list((tmp_path / "measured/results").iterdir())) == 34 - 2
    assert clean(tmp_path)


def test_a_job_that_hung_is_not_run_in_the_second_round(machine, tmp_path):
    """More than three processes are no faster here, so that every job of eight has neighbours to be run again."""
    hangs = "if called == 2:\n    import time; time.sleep(60)\nusers = min(users, 3)"
    status, _, _ = machine("--yes", "-q", "--wait", "0s", fault=hangs)
    assert status == 0
    lost = (tmp_path / "bin/calls").read_text().splitlines()[1].split()[0]
    assert sum(lost in line for line in (tmp_path / "bin/calls").read_text().splitlines()) == 1


def test_hang_of_every_job_is_reported_as_one_of_the_storage(machine, tmp_path):
    status, _, err = machine(
        "--yes", "-q", "--wait", "0s", fault="if called > 1:\n    import time; time.sleep(60)"
    )
    assert status == 2
    assert "did not end within 2 s; is the storage hanging?" in err
    assert clean(tmp_path)


def test_clock_jumps_change_no_figures(machine, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: -1e9)
    monkeypatch.setattr("stacksim.measuring.work.fit", far_enough)
    assert machine("--yes", "-q")[2] == "stacksim: far enough\n"
    (row,) = (line for line in (tmp_path / "measured/fitted.csv").read_text().splitlines() if "1,4KiB" in line)
    service_s = measured_machine.COMMAND_S + 4096 / measured_machine.BANDWIDTH
    each_s = (measured_machine.ACCESS_S + service_s) / 0.97
    assert float(row.split(",")[4]) == pytest.approx(4096e-6 / each_s, rel=1e-3)
    assert clean(tmp_path)


ENDED = "what was not finished is not written\n"


@pytest.mark.parametrize(
    ("number", "status", "said"), [("SIGHUP", 129, ""), ("SIGINT", 130, ENDED), ("SIGTERM", 143, ENDED)]
)
def test_signals_leave_nothing_behind(machine, tmp_path, number, status, said):
    fault = at(2, f"import signal, time; os.kill(os.getppid(), signal.{number}); time.sleep(60)")
    left, _, err = machine("--yes", "-q", fault=fault)
    assert left == status
    assert err.partition("; ")[2] == said
    assert clean(tmp_path)
    assert not (tmp_path / "measured").exists()


@pytest.mark.parametrize(("number", "status"), [("SIGHUP", 129), ("SIGINT", 130), ("SIGTERM", 143)])
def test_signals_while_files_are_laid_out_leave_nothing_behind(machine, tmp_path, number, status):
    fault = f"import signal, time; os.kill(os.getppid(), signal.{number}); time.sleep(60)"
    assert machine("--yes", "-q", fault=fault)[0] == status
    assert clean(tmp_path)


@pytest.mark.parametrize(("number", "status"), [("SIGHUP", 129), ("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_during_cleanup_is_deferred(machine, tmp_path, monkeypatch, number, status):
    real = os.unlink

    def pressed(*words, **names):
        signal.raise_signal(signal.Signals[number])
        real(*words, **names)

    monkeypatch.setattr(workplace.os, "unlink", pressed)
    assert machine("--yes", "-q", fault=at(2, "sys.exit(1)"))[0] == status
    monkeypatch.undo()
    assert clean(tmp_path)


def test_results_do_not_overwrite_a_folder_that_appeared_in_between(machine, tmp_path):
    theirs = tmp_path / "measured"
    fault = f"os.makedirs({str(theirs)!r}, exist_ok=True); open({str(theirs / 'theirs')!r}, 'w').close()"
    status, _, err = machine("--yes", "-q", fault=fault)
    assert status == 2
    assert "cannot write 'measured'" in err
    assert [each.name for each in theirs.iterdir()] == ["theirs"]


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

    monkeypatch.setattr("stacksim.measuring.results._table", full)
    status, _, err = machine("--yes", "-q")
    assert status == 2
    assert "cannot write 'measured': No space left on device" in err
    assert clean(tmp_path)
    assert not [each for each in tmp_path.iterdir() if each.name.startswith((".stacksim", "measured"))]
