"""Pictures of the pages are those of the commands beside them. Run as a script, this file draws them anew."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from memo import remember
from sim.cli import main

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
DRAWN = re.compile(
    r"```\n(?P<command>stacksim .*--picture (?P<name>\S+\.svg))\n```\n+!\[[^\]]+\]\(\.\./pictures/(?P=name)\)"
)
COMMANDS = {
    found["name"]: (page, found["command"])
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for found in DRAWN.finditer(page.read_text("utf-8"))
}
"""Page and command, by the name of the picture."""


def draw(command, folder):
    """Run ``command``, with the picture written into ``folder``; files are read from the root of the project."""
    words = shlex.split(command)
    words[-1] = str(folder / words[-1])
    sys.argv = [*words, "--quiet"]
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code


def test_every_how_to_shows_a_picture():
    for page in sorted((ROOT / "docs" / "how-to").glob("*.md")):
        shown = re.findall(r"!\[[^\]]+\]\(\.\./pictures/([^)]+)\)", page.read_text("utf-8"))
        assert shown, f"{page.name} shows no picture"
        assert all((PICTURES / name).exists() for name in shown), page.name


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_picture_equals_that_of_its_command(name, tmp_path, monkeypatch, predictions_of_all):
    remember(predictions_of_all, monkeypatch)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", sys.argv)
    draw(COMMANDS[name][1], tmp_path)
    assert (tmp_path / name).read_bytes() == (PICTURES / name).read_bytes(), COMMANDS[name][0]


if __name__ == "__main__":
    for _, drawn in COMMANDS.values():
        draw(drawn, PICTURES)
