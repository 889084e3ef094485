"""The documents show what the commands print. Run as a script, this file brings them up to date."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from memo import remember
from sim.cli import main

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLE = re.compile(r"```console\n\$ (?P<command>.*)\n(?P<shown>(?:.*\n)*?)```")
EXAMPLES = [
    (document.relative_to(ROOT), found["command"], found["shown"])
    for document in DOCUMENTS
    for found in EXAMPLE.finditer(document.read_text("utf-8"))
]


LONG = {
    *("array.md", "dbfs-files.md", "dbfs-load.md", "exadata-ctas.md", "explaining.md", "nvme.md", "san.md"),
    *("exadata.md", "how-many-cells.md", "which-of-two.md"),
}
"""Pages whose commands take minutes together: `make slow` runs them."""

INSTALLED = sysconfig.get_path("scripts")


def printed(command, folder=INSTALLED):
    """Output of ``command``, where `stacksim` is the one in ``folder``."""
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    shell = ["/usr/bin/env", "bash", "-c", command]
    return bare(subprocess.run(shell, env=environment, capture_output=True, text=True, check=True).stdout)


def bare(text):
    """``text`` without blanks at the ends of its lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.fixture(scope="module")
def commands(tmp_path_factory, predictions_of_all):
    """A folder with a `stacksim` that simulates nothing twice in a run of the tests."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "stacksim"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/tests/memo.py {predictions_of_all} "$@"\n')
    script.chmod(0o755)
    return folder


@pytest.fixture
def here(predictions_of_all, monkeypatch, capsys):
    """Output of `stacksim` in this process, where it starts at once."""
    remember(predictions_of_all, monkeypatch)

    def call(command):
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code
        return bare(capsys.readouterr().out)

    return call


@pytest.mark.long
@pytest.mark.parametrize(
    ("document", "command", "shown"),
    [
        pytest.param(
            *(document, command, shown),
            id=f"{document}: {command}",
            marks=[pytest.mark.slow] if document.name in LONG else [],
        )
        for document, command, shown in EXAMPLES
    ],
)
def test_document_shows_the_output_of_its_commands(commands, here, document, command, shown):
    """A command that needs no shell runs in this process."""
    needs_shell = {*"|;$"} & set(command)
    assert (printed(command, commands) if needs_shell else here(command)) == shown, document


if __name__ == "__main__":

    def brought_up_to_date(found):
        return f"```console\n$ {found['command']}\n{printed(found['command'])}```"

    for each in sys.argv[1:] or DOCUMENTS:
        Path(each).write_text(EXAMPLE.sub(brought_up_to_date, Path(each).read_text("utf-8")), "utf-8")
