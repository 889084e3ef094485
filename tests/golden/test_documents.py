"""The documents show what the commands print. Run as a script, this file brings them up to date."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLE = re.compile(r"```console\n\$ (?P<command>.*)\n(?:.*\n)*?```")


def example(found):
    """A console block with the command of the one that was found, and with what it prints now."""
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    command = ["/usr/bin/env", "bash", "-c", found["command"]]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True)
    lines = (f"$ {found['command']}", *(line.rstrip() for line in done.stdout.splitlines()))
    return "\n".join(("```console", *lines, "```"))


@pytest.mark.parametrize(
    "document", [each for each in DOCUMENTS if EXAMPLE.search(each.read_text("utf-8"))], ids=str
)
def test_the_document_shows_what_its_commands_print(document):
    shown = document.read_text("utf-8")
    assert EXAMPLE.sub(example, shown) == shown


if __name__ == "__main__":
    for each in sys.argv[1:] or DOCUMENTS:
        Path(each).write_text(EXAMPLE.sub(example, Path(each).read_text("utf-8")), "utf-8")
