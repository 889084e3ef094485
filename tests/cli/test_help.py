"""The help: commands by what they are for, two examples each that can be typed, no line wider than a terminal."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from command_lines import all_commands
from sim.cli.examples import EXAMPLES, PANELS
from sim.data.hardware import catalogue
from sim.system.installed import find, systems

ROOT = Path(__file__).parents[2]

TOP = all_commands()
COMMANDS = TOP | {
    f"{group} {name}": command for group in ("stack", "data") for name, command in TOP[group].commands.items()
}

TYPED = [
    pytest.param(name, shlex.split(words.partition("> ")[0]), id=f"{name} {words}")
    for name, both in EXAMPLES.items()
    for words in both
]
"""Commands and the words of their examples, without the file to which a shell sends the output."""


def test_every_command_is_in_a_panel_and_has_examples():
    assert sorted(name for names in PANELS.values() for name in names) == sorted(TOP)
    assert EXAMPLES.keys() == COMMANDS.keys()


def test_help_lists_commands_by_purpose(run):
    sections = re.findall(r"^(\w+):\n((?:  .*\n)+)", run("-h")[1], re.MULTILINE)
    listed = {title: tuple(re.findall(r"^  (\w+)", lines, re.MULTILINE)) for title, lines in sections[1:]}
    assert sections[0][0] == "Options"
    assert list(listed.items()) == list(PANELS.items())


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_a_terminal_and_ends_with_examples(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*name.split(), "-h")[1].splitlines()
    assert max(map(len, lines)) <= 80
    assert not name or lines[-3:] == [
        "  Examples:",
        *(f"    stacksim {name} {words}".rstrip() for words in EXAMPLES[name]),
    ]


@pytest.mark.parametrize(("name", "words"), TYPED)
def test_examples_are_valid_command_lines(name, words):
    with COMMANDS[name].make_context(name, list(words)) as context:
        assert not context.args or name in ("stack", "data")


@pytest.mark.parametrize(("name", "words"), TYPED)
def test_files_hardware_and_settings_in_examples_exist(name, words):
    for word in words:
        assert not word.startswith(("calibration-data/", "docs/", "models/")) or (ROOT / word).exists()
        assert name != "hardware" or word in catalogue() or word in ("--kind", "volume")
    known = [word for text in words for word in text.split() if word in systems()]
    for text in words if known else ():
        for setting in re.findall(r"(?:^| )([a-z_]+)=", text):
            assert setting in {each.name for each in find(known[0]).settings}


def test_stacksim_without_arguments_shows_first_steps(run):
    status, out, err = run()
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) <= 8
    assert max(map(len, lines)) <= 80
    for words in re.findall(r"^  stacksim (.*?)   ", out, re.MULTILINE):
        command, *arguments = shlex.split(words)
        if command in TOP:
            with TOP[command].make_context(command, arguments):
                pass
