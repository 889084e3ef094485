"""Stack files that say something else than they mean: each is told in one line what is wrong, and where."""

from __future__ import annotations

import pytest

from sim.engine.errors import StackFileError
from sim.system import find
from sim.system.case import Case

SSD = '[[layer]]\nkind = "ssd"\n'
LONG = "a = { value = 3, source = '" + 200 * "x" + "' }\n"

FILES = {
    "a rate and a depth": (f"[load]\nrate = 100\ndepth = 4\n{SSD}", "line 2: 'clients': I/Os arrive at a rate"),
    "a long table": (f"[params]\n{LONG}{SSD}", "x…}; did you mean 'parameters'?"),
    "a misspelt operation": (
        SSD + 'latency = { read = "80us", wrte = "20us" }',
        "line 4: latency has 'wrte'; did you mean 'write'? allowed: read, write",
    ),
    "a single layer": ('[layer]\nkind = "ssd"', "line 2: [layer] is one table; allowed: one for each layer"),
    "cut short": (f"{SSD}[load", "(at line 4, where the file ends)"),
    "cut short within a text": (f'{SSD}name = "dri\n\n', "(at line 4, column 12)"),
    "no setting at all": (f"[[measured]]\nq = 1\n{SSD}", "no setting 'q'; allowed: none"),
}


@pytest.mark.parametrize(("text", "told"), FILES.values(), ids=FILES)
def test_unclear_stack_file_is_reported_in_one_line(tmp_path, text, told):
    path = tmp_path / "one.toml"
    path.write_text(f'title = "one"\n{text}')
    with pytest.raises(StackFileError) as caught:
        Case.of(find(str(path)), {}).scenario  # noqa: B018
    assert told in str(caught.value)
