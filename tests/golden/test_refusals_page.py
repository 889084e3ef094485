"""docs/refusals.md shows refusals: its commands are refused so."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from sim.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "refusals.md").read_text("utf-8")
SESSIONS = re.findall(r"```shell-session\n(.*?)```", PAGE, re.DOTALL)
SHOWN = [pair for session in SESSIONS for pair in re.findall(r"^\$ (.*)\n(.*)\n", session, re.MULTILINE)]
FILES = {
    name: re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1]
    for name, kind in (("ours.toml", "toml"), ("ours.fio", "ini"))
}


@pytest.mark.parametrize(("command", "refusal"), SHOWN, ids=[command for command, _ in SHOWN])
def test_shown_command_prints_the_shown_refusal(tmp_path, monkeypatch, capsys, command, refusal):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, "utf-8")
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as left:
        main()
    out, err = capsys.readouterr()
    assert (left.value.code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.strip() == refusal or err.startswith(refusal.removesuffix("…"))


def test_page_shows_fifteen_refusals_at_least():
    assert len(SHOWN) >= 15
