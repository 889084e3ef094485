"""Whatever a contribution has become, what is wrong with it is told in lines, and never by an error of Python."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import damage
from examples import examples
from models import data_folder
from sim.prediction.contribution import check

EXAMPLE = data_folder() / "examples" / "bindfs-reads"
RESULT = "results/round-1/read-4k-8.json"
TABLE = b"users,block,op,measure,value,unit\n1,4KiB,read,throughput,194,MB/s\n8,4KiB,read,p99,131,us\n"
PARTS = {name: (EXAMPLE / name).read_bytes() for name in ("meta.toml", "split.toml", "bindfs.toml", RESULT)}
PARTS["figures.csv"] = TABLE

LONGEST_LINE = 1000


def damaged():
    def one(name):
        inner = {".json": damage.record, ".csv": damage.table}.get(Path(name).suffix, st.just)
        return damage.files(PARTS[name], inner).map(lambda content: (name, content))

    return st.sampled_from(sorted(PARTS)).flatmap(one)


@settings(max_examples=examples(40), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(damaged())
def test_every_contribution_is_valid_or_refused_with_a_reason(part):
    name, content = part
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "mine"
        for each in ("meta.toml", "split.toml", "bindfs.toml"):
            folder.mkdir(exist_ok=True)
            shutil.copy(EXAMPLE / each, folder)
        (folder / RESULT).parent.mkdir(parents=True)
        (folder / RESULT).write_bytes(PARTS[RESULT])
        (folder / name).write_bytes(content)
        problems = check(folder).problems
    assert all("\n" not in line and len(line) <= LONGEST_LINE for line in problems)
