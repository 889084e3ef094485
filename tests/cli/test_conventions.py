"""The command behaves as commands do: options, exit statuses, what it writes where, and how it is stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import pytest

from sim.cli import console
from sim.cli.outcome import status
from sim.data.fitted import path_in, read, write
from sim.engine.errors import LawError
from sim.system.installed import find, systems

QUICK = ("--precision", "20%")
COMMAND = f"{sys.executable} -m sim.cli"


def shell(line, **environment):
    """Run a line of bash; ``stacksim`` stands for the command."""
    done = subprocess.run(
        ["/usr/bin/env", "bash", "-c", line.replace("stacksim", COMMAND)],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr.decode("ascii", "backslashreplace")


# Options.


def test_version_is_printed(run):
    status, out, err = run("--version")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"stacksim \d+\.\d+\.\d+\n", out)


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("systems",),
        ("predict",),
        ("sweep",),
        ("find",),
        ("fit",),
        ("report",),
        ("trace",),
        ("compare",),
        ("growth",),
        ("hardware",),
        ("explore",),
        ("data", "check"),
        ("data", "add"),
    ],
)
def test_help_has_a_short_name(run, command):
    short, long = run(*command, "-h"), run(*command, "--help")
    assert short == long
    assert short[0] == 0
    assert "Usage: " in short[1]


@pytest.mark.parametrize("command", [(), ("stack",), ("data",)])
def test_help_describes_commands_in_full(run, command):
    commands = run(*command, "--help")[1].partition("Commands:" if command else "Ask:")[2]
    assert commands.count("\n  ") >= 3
    assert "..." not in commands


def test_a_shell_completes_commands_and_systems(run, monkeypatch):
    def completed(words):
        monkeypatch.setenv("_STACKSIM_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        return run()[1].split()

    assert completed("stacksim pre") == ["predict"]
    assert completed("stacksim predict dbfs") == ["dbfs", "dbfs-cells", "dbfs-files", "dbfs-free", "dbfs-load"]
    assert completed("stacksim systems sa") == ["san"]
    assert completed("stacksim hardware gp3") == ["gp3", "gp3-base"]


def test_progress_without_a_terminal_is_an_occasional_line_of_long_work(run, monkeypatch):
    arguments = ("predict", "dbfs", "users=2", "block=4KiB", *QUICK)
    assert run(*arguments)[2] == ""
    monkeypatch.setattr(console, "LINE_EVERY_S", 0.0)
    lines = run(*arguments)[2].splitlines()
    assert lines
    assert all(re.fullmatch(r"simulating: \d+%(, about \d+ \w+ left)?", line) for line in lines)
    sweep = ("sweep", "dbfs", "users=1,2", "--engine", "analytic")
    assert re.sub(", about.*", "", run(*sweep)[2]) == "simulating: 1 of 2\nsimulating: 2 of 2\n"
    assert run(*sweep, "--quiet")[2] == run(*arguments, "-q")[2] == ""


# What programs read.


def test_systems_as_json(run):
    status, out, _ = run("systems", "--json")
    assert status == 0
    records = json.loads(out)
    assert [each["name"] for each in records] == list(systems())
    assert json.loads(run("systems", "dbfs", "--json")[1]) == records[list(systems()).index("dbfs")]
    for record in records:
        system = find(record["name"])
        assert list(record) == ["name", "title", "structure", "settings", "parameters", "failures"]
        assert {each["name"]: each["default"] for each in record["settings"]} == {
            each.name: each.plain(each.default) for each in system.settings
        }
        assert [(each["name"], each["value"]) for each in record["parameters"]] == [
            (each.name, each.value) for each in system.parameters.entries
        ]
        assert list(record["settings"][0]) == ["name", "default", "allowed", "help"]
        assert list(record["parameters"][0]) == [
            "name",
            "value",
            "unit",
            "low",
            "high",
            "range",
            "basis",
            "source",
        ]


def test_a_sweep_as_json_is_a_list_of_predictions(run):
    status, out, err = run("sweep", "dbfs", "users=1,8", "--engine", "analytic", "--json")
    assert (status, err) == (0, "")
    alone = json.loads(run("predict", "dbfs", "users=8", "--engine", "analytic", "--json")[1])
    found = json.loads(out)
    assert [each["settings"]["users"] for each in found] == [1, 8]
    assert found[1] == alone | {"status": "done", "reason": None}


def test_trace_json_names_the_written_files(run, tmp_path):
    timeline, picture = tmp_path / "t.json", tmp_path / "way.svg"
    status, out, _ = run(
        *("trace", "dbfs", "users=2", "--json", "--requests", 3, *QUICK),
        *("--output", timeline, "--picture", picture),
    )
    assert status == 0
    events = json.loads(timeline.read_text("utf-8"))["traceEvents"]
    written = json.loads(out)
    assert written["timeline"] == {"file": str(timeline), "slices": sum(each["ph"] == "b" for each in events)}
    assert written["picture"]["file"] == str(picture)
    assert written["picture"]["workload"] in {"node 1 dd 1", "node 1 dd 2"}


def test_a_dash_sends_the_table_alone_to_standard_output(call, capsysbinary, tmp_path):
    sweep = ("sweep", "dbfs", "users=1,8", "--engine", "analytic")
    assert call(*sweep, "--csv", "-") == 0
    rows = capsysbinary.readouterr().out.decode().splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("users,throughput (MB/s)")
    assert call(*sweep, "--picture", "-") == 0
    content = capsysbinary.readouterr().out
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content.endswith(b"IEND\xaeB`\x82")
    picture = tmp_path / "way.svg"
    assert call("trace", "dbfs", "--requests", 3, "--output", "-", "--picture", picture, *QUICK) == 0
    assert json.loads(capsysbinary.readouterr().out)["traceEvents"]
    assert picture.exists()
    assert call("report", "fc-fabric", "--html", "-", *QUICK) == 0
    page = capsysbinary.readouterr().out
    assert page.startswith(b"<!DOCTYPE html>")
    assert page.rstrip().endswith(b"</html>")


def test_a_narrow_sweep_keeps_its_settings_and_shows_the_rest_in_blocks(run, monkeypatch):
    arguments = ("sweep", "array", "noise=yes", "cache=1MiB,4MiB", "data=16MiB", "seconds=1", *QUICK)
    *wide, untested, note, assumed = run(*arguments)[1].splitlines()
    monkeypatch.setenv("COLUMNS", "80")
    blocks = [block.splitlines() for block in run(*arguments)[1].split("\n\n")]
    notes = [blocks[-1].pop() for _ in range(4)][::-1]
    assert len(wide) == 3
    assert (untested, notes.pop(0)) == ("extrapolated: no measurement of array is known",) * 2
    assert assumed == notes.pop()
    assert assumed.startswith("assumed: controllers, ")
    assert note.startswith("warning: 'during' has no end: ")
    assert " ".join(" ".join(notes).split()) == note
    assert len(blocks) > 1
    for block in blocks:
        assert all(len(line.rstrip()) <= 80 for line in block)
        assert block[0].split()[:4] == ["noise", "cache", "data", "seconds"]
        assert [line.split()[:4] for line in block[1:]] == [line.split()[:4] for line in wide[1:]]
    for number, line in enumerate(wide):
        told = [cell for block in blocks for cell in re.split(r" {2,}", block[number].strip())[4:]]
        assert told == re.split(r" {2,}", line.strip())[4:]


@pytest.mark.parametrize("columns", ["0", "1", "none"])
def test_a_terminal_too_narrow_for_any_column_is_ignored(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    status, out, _ = run("sweep", "dbfs", "users=1,2", "--engine", "analytic")
    assert status == 0
    assert "users  MB/s" in out.replace("users   MB/s", "users  MB/s")


def test_a_sweep_computes_no_bands(run, monkeypatch):
    monkeypatch.setattr(
        "sim.prediction.prediction.prediction_intervals", lambda *_: pytest.fail("nobody will see them")
    )
    assert run("sweep", "dbfs", "users=1,2", "block=4KiB", *QUICK)[0] == 0


def test_a_part_of_a_run_in_which_nothing_ends_has_no_elapsed_time(run):
    asked = ("predict", "dbfs-files", "op=ls-qualified", "processes=256", "--max-steps", 10_000)
    status, out, err = run(*asked, "--precision", "50%", "--json", "--quiet")
    assert (status, err) == (0, "")
    elapsed = json.loads(out)["measures"]["elapsed"]
    assert elapsed["value"] > 0.0
    assert not elapsed["known"]


# Standard output.


@pytest.mark.parametrize(
    "command", ["systems san", pytest.param("systems san --json", marks=pytest.mark.slow), "--help"]
)
def test_failed_write_to_standard_output_gets_one_line(command):
    status, out, err = shell(f"stacksim {command} > /dev/full")
    assert (status, out) == (2, b"")
    assert (
        err
        == "stacksim: cannot write to standard output: No space left on device; make room, or send it elsewhere\n"
    )
    status, out, err = shell(f"stacksim {command} >&-")
    assert (status, out) == (2, b"")
    assert err == "stacksim: standard output is closed; send it to a file, or to /dev/null\n"


@pytest.mark.parametrize(
    "command",
    [
        "systems",
        pytest.param("systems --json", marks=pytest.mark.slow),
        "--help",
        "sweep dbfs users=1,2 --engine analytic --csv -",
    ],
)
def test_a_closed_pipe_ends_the_command_silently(command):
    status, _, err = shell(f"stacksim {command} | true; exit ${{PIPESTATUS[0]}}")
    assert (status, err) == (141, "")


def test_exit_status_does_not_depend_on_standard_error():
    assert shell("stacksim systems san 2>&-")[0] == 0
    assert shell("stacksim systems no 2>&-")[0] == shell("stacksim systems no 2>/dev/full")[0] == 2


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.slow), "utf-8"])
def test_characters_missing_from_the_encoding_are_replaced(encoding):
    status, out, err = shell("stacksim predict dbfs --engine analytic", PYTHONIOENCODING=encoding)
    assert (status, err) == (0, "")
    unit = "us" if encoding == "ascii" else "µs"
    assert re.search(rf"^mean latency +32[01] {unit}", out.decode(encoding), re.MULTILINE)
    swept = shell("stacksim sweep dbfs users=1,8 --engine analytic --csv -", PYTHONIOENCODING=encoding)
    assert (swept[0], swept[2]) == (0, "")
    assert "% … +" in swept[1].decode()  # a file is UTF-8 wherever it goes
    status, _, err = shell("stacksim predict dbfs 'µ\x1b=1' $'\\xff=1'", PYTHONIOENCODING=encoding)
    assert (status, err.count("\n"), "\x1b" in err) == (2, 1, False)


# What stops it.


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (MemoryError("Unable to allocate 20 GiB"), 2, "out of memory (Unable to allocate 20 GiB); ask for fewer "),
        (RecursionError("maximum recursion depth"), 2, "something is nested too deeply; "),
        (OSError(5, "Input/output error", "a.csv"), 2, "'a.csv': Input/output error; "),
        (OSError(36, "File name too long", "a" * 300), 2, f"'{'a' * 49}…{'a' * 30}': File name too long; "),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
            2,
            "a text cannot be read or written: ",
        ),
        (LawError("more comes out than goes in"), 2, "more comes out than goes in"),
        (ZeroDivisionError("division by zero"), 1, "internal error, please report it with the command: ZeroDivi"),
    ],
)
def test_errors_are_one_line_without_a_traceback(run, monkeypatch, error, status, message):
    def simulate(*_arguments, **_choices):
        raise error

    monkeypatch.setattr("sim.prediction.solvers.run", simulate)
    left, out, err = run("predict", "dbfs")
    assert (left, out) == (status, "")
    assert err.startswith(f"stacksim: {message}")
    assert err.count("\n") == 1


def test_a_long_command_line_is_not_repeated_whole(run):
    for arguments in (("x" * 5000,), ("predict", "dbfs", "x" * 5000), ("predict", f"--{'x' * 5000}")):
        status, _, err = run(*arguments)
        assert status == 2
        assert len(err) < 500


def test_a_complaint_that_repeats_much_keeps_its_beginning_and_its_end(run):
    status, _, err = run("fit", *("x" * 300 for _ in range(20)), "--system", "dbfs")
    assert status == 2
    assert err.startswith("stacksim: 20 files are given (xxx")
    assert err.endswith("xxx); with --system give one file or folder\n")
    assert err.count("\n") == 1
    assert len(err) < 1000


@pytest.mark.parametrize("option", ["--json", "--explain", "--profile"])
def test_program_option_excludes_other_output(run, option):
    message = (
        "stacksim: --program prints the program and nothing else; leave --json, --explain and --profile out\n"
    )
    assert run("predict", "dbfs", "--program", option) == (2, "", message)


def test_escape_sequences_in_file_names_are_quoted(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trace, shipped = "trace\x1b[31m.csv", path_in(find("dbfs").data_package, "dbfs")
    Path(trace).write_text("0.0,read,0,8192\n0.5,read,8192,8192\n", "utf-8")
    write(read(shipped).model_copy(update={"warnings": ("few",)}), Path("fit\x1b[31m.json"))
    written = ("trace", "dbfs", "--requests", 3, *QUICK, "--output", "new\x1b[31m.json", "--picture", "\x1b.svg")
    for arguments, shown in (
        (("sweep", "array", f"trace={trace}", *QUICK), r"trace\x1b[31m.csv"),
        (("predict", "dbfs", "--engine", "analytic", "--fitted", "fit\x1b[31m.json"), r"fit\x1b[31m.json: few"),
        (written, r"new\x1b[31m.json: "),
        (written, r"\x1b.svg: "),
    ):
        status, out, err = run(*arguments)
        assert (status, err) == (0, "")
        assert shown in out
        assert "\x1b" not in out


def test_escape_sequences_in_arguments_are_quoted(run):
    for arguments in (
        ("x\x1b[31m",),
        ("predict", "dbfs", "--x\x1b[31m"),
        ("fit", "x\x1b[31m", "--system", "dbfs"),
    ):
        status, _, err = run(*arguments)
        assert status == 2
        assert r"x\x1b[31m" in err


STARTED = """
import os, sys
from sim.prediction import solvers, work
def told(work):
    def tells(*arguments, **choices):
        os.write(2, b"at work\\n")  # in one piece: several threads say so
        return work(*arguments, **choices)
    return tells
solvers.run, work.wait = told(solvers.run), told(work.wait)
from sim.cli import main
main()
"""


def alive(session):
    """The processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, owner = entry.read_text("utf-8").rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(owner) == session and state != "Z":
            found.append(entry.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")]
)
@pytest.mark.parametrize(
    "command",
    [
        "predict dbfs nodes=4 users=8",
        "sweep dbfs nodes=4 users=4,6,8 --csv a.csv",
        "sweep dbfs users=1,2,4 --engine reference --csv a.csv",
        "find dbfs nodes=4 users=4,6,8 mean<=37us block=1KiB --csv a.csv --quiet",
    ],
)
def test_a_signal_ends_the_command_with_one_line_and_leaves_no_files(tmp_path, number, status, word, command):
    started = subprocess.Popen(
        [sys.executable, "-c", STARTED, *command.split(), "--precision", "0.01%"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2])])},
        start_new_session=True,
    )
    assert started.stderr.readline() == "at work\n"
    time.sleep(1.0)
    started.send_signal(number)
    try:
        out, err = started.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        raise
    assert (started.returncode, out) == (status, "")
    told = [line for line in err.splitlines() if line != "at work"]
    assert told == [f"stacksim: {word}; what was not finished is not written"]
    assert not list(tmp_path.iterdir())
    deadline = time.monotonic() + 10.0
    while alive(started.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(started.pid)


@pytest.mark.parametrize("status", [143, 130])
def test_a_signalled_command_does_not_wait_for_threads(status):
    """Within a run, a thread looks up only now and then."""
    code = (
        "import threading, time\n"
        "import sim.cli\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\n"
        f"sim.cli.main = lambda: exit({status})\n"
        "sim.cli.process()\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == status


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_during_a_weakref_callback_is_not_lost(monkeypatch, capsys):
    """As while a weak reference is called back."""

    class Thing:
        pass

    def lost(*_words, **_names):
        thing = Thing()
        called = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
        del thing
        assert called() is None
        return 0

    monkeypatch.setattr("sim.cli.outcome.app", lost)
    assert status() == 143
    assert capsys.readouterr().err == "stacksim: terminated; what was not finished is not written\n"
