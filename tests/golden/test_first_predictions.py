"""The ledger of first predictions is what the history of `misses.csv` says.

Run as a script, this file adds figures that were committed since. A line that is written stays as it is; where a
figure is renamed, so is its line.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from models import data_folder
from sim.data import misses
from sim.engine.files import write_atomically

ROOT = Path(__file__).parents[2]
LEDGER = data_folder() / misses.FIRST
NAMES = ("dataset", "row", "column")
COLUMNS = (*NAMES, "miss", "date", "commit")
HISTORY = f"calibration-data/{misses.FILE}"


def git(*words):
    called = [shutil.which("git") or "git", *words]
    return subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def named(line):
    return tuple(line[name] for name in NAMES)


def at(commit):
    """The misses that were recorded in ``commit``, by figure."""
    return {named(line): line["miss"] for line in csv.DictReader(io.StringIO(git("show", f"{commit}:{HISTORY}")))}


def made():
    """The lines that stand, and those of figures that have none yet."""
    found = {named(line): line for line in misses.lines(LEDGER)}
    for commit, date in map(str.split, git("log", "--reverse", "--format=%h %cs", "--", HISTORY).splitlines()):
        for names, miss in at(commit).items():
            values = (*names, miss, date, commit)
            found.setdefault(names, dict(zip(COLUMNS, values, strict=True)))
    return found.values()


@pytest.fixture(scope="module")
def history():
    """Skips where there is no whole history to look into, or another one, as after a rebase."""
    if not (ROOT / ".git").exists() or git("rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("no history here")
    known = set(git("rev-list", "HEAD").split())
    commits = {line["commit"] for line in misses.lines(LEDGER)}
    if not all(any(each.startswith(commit) for each in known) for commit in commits):
        pytest.skip("another history here than that of the ledger")


@pytest.mark.usefixtures("history")
def test_each_line_equals_the_record_of_its_commit():
    recorded = {}
    for line in misses.lines(LEDGER):
        commit = line["commit"]
        recorded.setdefault(commit, (at(commit), git("show", "-s", "--format=%cs", commit).strip()))
        figures, date = recorded[commit]
        assert (figures[named(line)], date) == (line["miss"], line["date"]), line


@pytest.mark.usefixtures("history")
def test_every_predicted_figure_that_was_committed_has_a_line():
    missing = at("HEAD").keys() - {named(line) for line in misses.lines(LEDGER)}
    assert not missing, "python tests/golden/test_first_predictions.py"


def test_no_figure_has_two_lines():
    names = [named(line) for line in misses.lines(LEDGER)]
    assert len(names) == len(set(names)) > 0


if __name__ == "__main__":
    file = io.StringIO()
    rows = [[line[column] for column in COLUMNS] for line in made()]
    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    write_atomically(LEDGER, file.getvalue().encode())
