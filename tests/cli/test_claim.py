"""`stacksim claim`: what it prints, its exit status, its page, and a file made by asking."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from stacksim.claims.claim_file import read
from stacksim.claims.verdict import ONE_IN

ROOT = Path(__file__).parents[2]

LINKS = """
[[claim]]
text = "450 MB/s over two links of 2 Gb/s, as was seen on a server of which nobody says how much memory it had"
source = "made up"
throughput = "450 MB/s"
op = "read"
hardware = ["2 x fc-2"]
"""

HONEST = """
[[claim]]
text = "400 MB/s"
source = "made up \\u001b[31m"
throughput = "400 MB/s"
op = "read"
hardware = ["2 x fc-2"]
"""

OF_A_SYNC = """
[[claim]]
text = "a sync takes 50 us"
source = "made up"
system = "file-sync"
latency = "50 us"
measure = "sync_latency"
settings = { host = "dell32", filesystem = "ext4", jobs = "1", block = "16KiB", sync = "fsync" }
"""


@pytest.fixture
def claims(tmp_path):
    def write(text):
        path = tmp_path / "claims.toml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_verdict_arithmetic_and_questions_in_lines_of_80(run, claims):
    status, out, err = run("claim", claims(LINKS + HONEST))
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "impossible     2 x fc-2: 2 × 212.5 MB/s × 2112/2172 in frames = 413.3 MB/s < 450\n" in out
    assert "plausible      2 x fc-2: 2 × 212.5 MB/s × 2112/2172 in frames = 413.3 MB/s ≥ 400\n" in out
    assert out.count("\nask            ") == 2
    assert out.endswith("2 claims: 1 impossible, 1 plausible\n")
    assert "\x1b" not in out


def test_lines_fit_a_narrow_terminal(run, claims, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    assert max(map(len, run("claim", claims(LINKS))[1].splitlines())) <= 50


@pytest.mark.parametrize(("text", "checked"), [(LINKS, 1), (HONEST, 0), (HONEST + LINKS, 1)])
def test_check_fails_on_impossible_claims(run, claims, text, checked):
    assert run("claim", claims(text))[0] == 0
    assert run("claim", claims(text), "--check")[0] == checked


def test_json_has_the_verdict(run, claims):
    status, out, err = run("claim", claims(LINKS), "--json")
    assert (status, err) == (0, "")
    (claim,) = json.loads(out)["claims"]
    assert claim["verdict"] == "impossible"
    assert claim["bound"] == {
        "place": "2 x fc-2",
        "value": pytest.approx(425e6 * 2112 / 2172),
        "unit": "bytes/s",
        "factor": pytest.approx(450 / 425 / 2112 * 2172),
    }
    assert len(claim["questions"]) == 3
    assert all(set(each) == {"what", "cause", "predicted", "unit", "error"} for each in claim["explanations"])


def test_page_goes_to_a_file_or_alone_to_standard_output(run, claims, tmp_path):
    page = tmp_path / "page.html"
    status, out, _ = run("claim", claims(LINKS), "--html", page)
    assert status == 0
    assert "impossible" in out
    status, alone, _ = run("claim", claims(LINKS), "--html", "-")
    assert status == 0
    assert alone == page.read_text("utf-8")
    assert run("claim", claims(LINKS), "--html", "-", "--json")[0] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no file of claims is given; name a .toml file, or make one with --ask"),
        (("x.toml", "--ask"), "--ask makes a file of claims; leave FILE, --check, --html and --json out"),
        (("--ask", "--json"), "--ask makes a file of claims; leave FILE, --check, --html and --json out"),
        (
            ("x.toml", "--output", "y.toml"),
            "--output is for --ask; leave it out, or write a page with --html PAGE.html",
        ),
        (("x.toml",), "cannot read claim file 'x.toml': No such file or directory; name another"),
        (("x.toml", "--html", "x.pdf"), "page 'x.pdf' is not a .html file; give its name such an ending"),
        (("--ask", "--output", "x.json"), "claim file 'x.json' is not a .toml file; give its name such an ending"),
    ],
)
def test_contradictory_options_are_refused(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert run("claim", *words) == (2, "", f"stacksim: {message}\n")
    assert not list(tmp_path.iterdir())


# Asking.

ANSWERS = {
    "What is claimed": '"crazy rates" of \\ 450 MB/s',
    "Who says so": "K. Closson, 2007",
    "When?": "2007-01",
    "Which hardware": "2 x fc-2, pcie-1-x8",
    "Which system": "dbfs",
    "Under which settings": "users=8 block=8KiB",
    "What throughput": "450 MB/s",
    "How many I/Os": "",
    "How large": "8k",
    "How many requests": "32",
    "What latency": "",
    "How long did the whole": "",
    "How many bytes": "8 GB",
    "For how long": "60 s",
    "How much memory": "16 GB",
    "How many devices": "",
    "Read, write": "read",
    "Sequential": "",
}


@pytest.fixture
def ask(run, monkeypatch):
    """Answer ``--ask`` with these lines."""

    def asked(*lines, to=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run("claim", "--ask", *to)

    return asked


def test_answers_become_a_file_that_is_read(ask, tmp_path):
    path = tmp_path / "claims.toml"
    status, out, err = ask(*ANSWERS.values(), "n", to=("--output", path))
    assert (status, out) == (0, "")
    for question in ANSWERS:
        assert question in err
    (claim,) = read(path)
    assert (claim.text, claim.date) == (ANSWERS["What is claimed"], "2007-01")
    assert claim.subject.hardware == ("2 x fc-2", "pcie-1-x8")
    assert claim.subject.settings == {"users": "8", "block": "8KiB"}
    assert set(claim.numbers) == {"throughput", "block", "requests_in_flight", "bytes", "duration", "memory"}


def test_a_closed_input_is_one_line(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    status, out, err = run("claim", "--ask")
    assert (status, out) == (2, "")
    assert err.endswith("stacksim: the input ended at text: an answer is needed; answer it, nothing is written\n")


def test_claim_in_words_gets_a_hint_at_ask(run):
    status, _, err = run("claim", "1.2M IOPS at 80 us")
    assert (status, err) == (
        2,
        "stacksim: no claim file '1.2M IOPS at 80 us'; a claim in words becomes one by: stacksim claim --ask\n",
    )


def test_page_and_lesson_say_how_unlikely_is_implausible(run, claims, tmp_path):
    page = tmp_path / "page.html"
    run("claim", claims(LINKS), "--html", page)
    assert f"fewer than one measurement in {ONE_IN} that far off" in " ".join(page.read_text().split())
    for name in ("notebooks/13-checking-a-claim.ipynb", "docs/how-to/is-that-possible.md", "docs/glossary.md"):
        text = (Path(__file__).parents[2] / name).read_text()
        assert f"measurement in {ONE_IN}" in text, name


def test_claim_without_a_file_goes_to_standard_output(ask):
    status, out, _ = ask("said", "somebody")
    assert status == 0
    assert tomllib.loads(out) == {"claim": [{"text": "said", "source": "somebody"}]}


def test_several_claims(ask):
    one = ["said", "somebody", *[""] * 13]
    status, out, _ = ask(*one, "y", "again", "somebody")
    assert (status, [claim["text"] for claim in tomllib.loads(out)["claim"]]) == (0, ["said", "again"])


@pytest.mark.parametrize(
    ("before", "wrong", "right", "fault"),
    [
        ([], "", "said", "an answer is needed"),
        (["said", "somebody"], "January", "2007", "date is 'January'; allowed: a year, month or day"),
        (["said", "somebody", ""], "fc-3", "fc-2", "hardware: no hardware 'fc-3'; did you mean"),
        (["said", "somebody", "", ""], "dbf", "dbfs", "system: no system 'dbf'; did you mean 'dbfs'?"),
        (["said", "somebody", "", ""], "no.toml", "dbfs", "stack: cannot read stack file 'no.toml'"),
        (
            ["said", "somebody", "", "", "dbfs"],
            "users=0",
            "users=8",
            "settings: users is '0'; allowed: a whole number",
        ),
        (["said", "somebody", "", "", "dbfs"], "users", "users=8", "'users' is not a setting"),
        (
            ["said", "somebody", "", "", ""],
            "450",
            "450 MB/s",
            "throughput is '450'; allowed: a number with a unit",
        ),
    ],
)
def test_invalid_answer_is_asked_again_at_once(ask, before, wrong, right, fault):
    status, out, err = ask(*before, wrong, right, *([] if before else ["somebody"]))
    assert status == 0
    assert f"> {fault}" in err
    assert right.split("=")[0] in out
    assert err.count(fault) == 1


@pytest.mark.parametrize("lines", [[], ["said"], ["said", "somebody", "January"]])
def test_an_input_that_ends_too_early_writes_nothing(ask, tmp_path, lines):
    path = tmp_path / "claims.toml"
    status, out, err = ask(*lines, to=("--output", path))
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].partition("stacksim: ")[2].startswith("the input ended at ")
    assert not list(tmp_path.iterdir())


def test_the_interrupt_key_leaves_nothing_behind(tmp_path):
    asking = subprocess.Popen(
        [sys.executable, "-m", "sim.cli", "claim", "--ask", "--output", "claims.toml"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert asking.stderr
    assert b"What is claimed" in asking.stderr.readline()
    assert asking.stdin
    asking.stdin.write(b"said\n")
    asking.stdin.flush()
    assert b"Who says so" in asking.stderr.readline()
    time.sleep(0.3)
    asking.send_signal(signal.SIGINT)
    _, err = asking.communicate(timeout=60)
    assert asking.returncode == 130
    assert err.endswith(b"stacksim: interrupted; what was not finished is not written\n")
    assert not list(tmp_path.iterdir())


def test_settings_under_which_there_is_no_such_answer_explain_nothing(run, claims):
    """Where nobody syncs, no sync takes any time: that setting is passed over."""
    _, out, err = run("claim", claims(OF_A_SYNC))
    assert "no answer" not in err
    assert "a sync takes 50 us" in out
