"""Keys of a store: equal for what means the same, in every process; different for whatever changes a result."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import own_system
import toy
from models.workloads.block_trace import TracedPages
from sim import Cache, Closed, Custom, Delay, Hold, Lock, Lookup, Model, Station, Use
from sim.prediction import Case, RunOptions
from sim.prediction.digest import Digest, UnknownMeaningError
from sim.prediction.meaning import _lasting, engine_version, key_of
from sim.system.installed import find
from sim.system.what_if import with_set

HOW = RunOptions(precision=0.2)

KEY = """
from sim.prediction import Case, RunOptions
from sim.prediction.meaning import key_of
print(*(key_of(Case.of("dbfs", {}), RunOptions(engine)).hex() for engine in ("auto", "analytic")))
"""


def model(time_s=1e-3, name="a"):
    return Model([Closed("c", 2, [Use(Station(name), time_s), Hold(Lock("l").exclusive, Delay(1e-6))])])


def digest(value):
    return Digest().of(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("ab", ("a", "b")),
        (("a", "b"), ("ab",)),
        (("a", ("b", "c")), (("a", "b"), "c")),
        ({"a": 1}, {"a": 2}),
        ({"a": "b"}, {"b": "a"}),
        (None, ""),
        (b"a", "a"),
        (Station("a"), Station("b")),
        (Station("a", 2), Station("a", 3)),
        (Station("a"), Lock("a")),
        (model(), model(1.1e-3)),
        (model(), model(name="b")),
    ],
)
def test_different_values_have_different_digests(one, other):
    assert digest(one) != digest(other)


def test_equal_values_have_equal_digests():
    assert digest(model()) == digest(model())
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest(frozenset("abc")) == digest(frozenset("cba"))
    shared = Use(Station("a"), 1e-3)
    assert digest((shared, shared)) == digest((shared, Use(Station("a"), 1e-3)))


def test_digest_of_a_file_is_that_of_its_content(tmp_path):
    one, same, other = (tmp_path / name for name in "abc")
    one.write_text("x")
    same.write_text("x")
    other.write_text("y")
    assert digest(one) == digest(same) != digest(other)


def test_code_of_its_own_has_no_digest():
    step = Custom("wait", lambda _: iter(()))
    for value in (step, print, own_system.OwnSettings()):
        with pytest.raises(UnknownMeaningError, match="code of its own"):
            digest(value)


def test_a_key_is_the_same_in_every_process():
    keys = {
        subprocess.run(
            [sys.executable, "-c", KEY],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(keys) == 1
    assert len(set(keys.pop().split())) == 2


def test_a_key_has_all_that_a_result_depends_on(monkeypatch):
    case = Case.of(toy.TOY, {"clients": 2})
    keys = [
        key_of(case, HOW),
        key_of(Case.of(toy.TOY, {"clients": 3}), HOW),
        key_of(Case.of(with_set(toy.TOY, {"think_s": "20ms"}), {"clients": 2}), HOW),
        key_of(case, replace(HOW, seed=2)),
        key_of(case, replace(HOW, precision=0.1)),
        key_of(case, replace(HOW, engine="analytic")),
        key_of(case, replace(HOW, answers=("throughput",))),
        key_of(case, replace(HOW, max_steps=1000)),
    ]
    monkeypatch.setattr("sim.prediction.meaning.engine_version", lambda: "another")
    keys.append(key_of(case, HOW))
    assert len(set(keys)) == len(keys)


def test_a_name_or_a_comment_is_no_part_of_a_key(tmp_path):
    text = 'title = "a"\n[settings]\njobs = 1\n[load]\nclients = "jobs"\n[[layer]]\nkind = "ssd"\nlatency = "{}"\n'
    keys = []
    for name, latency in (("a", "70us"), ("b", "70us"), ("c", "0.07ms"), ("d", "71us")):
        file = tmp_path / f"{name}.toml"
        file.write_text(f"# {name}\n" + text.format(latency))
        keys.append(key_of(Case.of(find(str(file)), {}), HOW))
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_prediction_intervals_have_keys_that_know_the_models_behind_them():
    case = Case.of(own_system.OWN, {"clients": 2})

    def built(settings, parameters):  # the same in the middle, more elsewhere
        return own_system.build(settings, replace(parameters, service_s=0.01 + 2 * (parameters.service_s - 0.01)))

    other = Case.of(replace(own_system.OWN, build=built), {"clients": 2})
    assert key_of(case, HOW) == key_of(other, HOW)
    assert key_of(case, HOW, intervals=True) != key_of(other, HOW, intervals=True)
    assert key_of(case, HOW, intervals=True) == key_of(case, HOW, intervals=True) != key_of(case, HOW)


def test_the_version_of_the_engine_says_which_release_it_is():
    assert engine_version().startswith("0.1.0 ")


def test_digest_of_a_model_is_kept_unless_it_reads_a_file(tmp_path):
    file = tmp_path / "trace"
    file.write_text("1")
    plain, traced = (
        Model([Closed("c", 1, (Use(Station("disk"), 1e-3), *look_up))])
        for look_up in ((), (Lookup(Cache("cache", 10), TracedPages(file, 4096, ("read", False))),))
    )
    assert _lasting(plain) == Digest().of(plain)
    assert _lasting(traced) is None
