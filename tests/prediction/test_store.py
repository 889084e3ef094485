"""The store of results: what it takes, what it gives back, who may write, and which files it leaves alone."""

from __future__ import annotations

import math
import os
import pickle
import sqlite3
import subprocess
import sys
import zlib

import pytest

from sim import InputError
from sim.prediction import Case, RunOptions
from sim.prediction.owner import is_alive, new_owner
from sim.prediction.points import How, Job, run
from sim.prediction.prediction import predict_case
from sim.prediction.records import unpacked
from sim.prediction.store import Entry, Known, Store

A, B, C = b"a" * 16, b"b" * 16, b"c" * 16


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "a.sqlite") as opened:
        yield opened


def dead():
    """A process that has ended, as an owner."""
    line = "from sim.prediction.owner import new_owner; print(new_owner())"
    return subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout.strip()


def test_a_store_gives_back_its_content(store):
    store.write([Entry(A, Known("done"), "a=1", b"content"), Entry(B, Known("failed", "why"))])
    assert store.known([A, B, C]) == {A: Known("done"), B: Known("failed", "why")}
    assert store.content(A) == b"content"
    with Store(store.path) as again:
        assert again.known([A]) == {A: Known("done")}
        assert again.count() == 2


def test_many_keys_are_looked_up_at_once(store, monkeypatch):
    store.write([Entry(A, Known("done")), Entry(B, Known("refused", "why"))])
    monkeypatch.setattr("sim.prediction.store._MANY", 1)
    assert store.known([A, C]) == {A: Known("done")}
    assert store.known([C, B, A, B]) == {A: Known("done"), B: Known("refused", "why")}
    assert store.known([C]) == {}


def test_failed_cases_are_run_again_and_finished_ones_are_not(store):
    store.write([Entry(A, Known("done")), Entry(B, Known("failed", "why"))])
    known, busy = store.take([A, B, C], new_owner())
    assert (set(known), busy) == ({A}, set())
    store.write([Entry(B, Known("done"), content=b"now")])
    assert store.known([B]) == {B: Known("done")}


def test_a_claim_holds_for_as_long_as_its_owner_lives(store):
    ours, other = new_owner(), new_owner()
    store.take([A], other)
    assert store.take([A, B], ours) == ({}, {A})
    store.take([C], dead())
    assert store.take([C], ours) == ({}, set())
    store.write([Entry(A, Known("unstable", "why"))])
    assert store.take([A], ours) == ({A: Known("unstable", "why")}, set())
    store.release(ours)
    assert store.busy([B, C], other) == set()


def test_a_process_is_known_by_more_than_its_number():
    machine, number, began, _ = new_owner().rsplit(" ", 3)
    assert is_alive(new_owner())
    assert int(number) == os.getpid()
    assert not is_alive(f"{machine} {number} {int(began) + 1} 0")
    assert not is_alive(f"elsewhere {number} {began} 0")


def test_a_transaction_is_written_whole_or_not_at_all(store):
    with pytest.raises(InputError, match=r"a\.sqlite"):
        store.write([Entry(A, Known("done")), Entry(B, Known(None))])
    assert store.count() == 0


@pytest.mark.parametrize("content", [b"", b"users,block\n1,8KiB\n", b"SQLite format 3\0" + bytes(84)])
def test_a_file_that_is_no_store_is_left_alone(tmp_path, content):
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"a.csv' is no store of stacksim; name another file"):
        Store(file)
    assert file.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_a_store_of_another_version_is_left_alone(store):
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    content = store.path.read_bytes()
    with pytest.raises(InputError, match=r"a store of version 7, and this stacksim has 1; name another file"):
        Store(store.path)
    assert store.path.read_bytes() == content


@pytest.mark.parametrize("name", ["missing/a.sqlite", "a.csv/a.sqlite", "folder"])
def test_an_unusable_store_path_is_one_line(tmp_path, name):
    (tmp_path / "a.csv").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"store '.*; fix it, or name another file"):
        Store(tmp_path / name)


def test_a_store_is_created_completely_or_not_at_all(tmp_path, monkeypatch):
    """A process that is killed as it makes one leaves none at the name of the store."""
    monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path / "a.sqlite")
    assert not [each.name for each in tmp_path.iterdir()]


@pytest.mark.parametrize(("system", "engine"), [("dbfs", "auto"), ("dbfs", "analytic"), ("file-copy", "auto")])
def test_a_result_comes_back_bit_for_bit(system, engine):
    prediction = predict_case(Case.of(system, {}), RunOptions(engine, precision=0.3))
    entry = run(How(RunOptions(engine, precision=0.3)), Job(Case.of(system, {}), A)).entry
    result, intervals, _ = unpacked(entry.content)
    assert repr(result) == repr(prediction.result)
    assert len(result.parts) == len(prediction.result.parts)
    assert intervals == {}


def test_a_record_loads_nothing_but_results():
    harmful = zlib.compress(pickle.dumps((math.sqrt, {})))
    with pytest.raises(InputError, match=r"math\.sqrt is no part of a result"):
        unpacked(harmful)
    with pytest.raises(InputError, match="cannot be read"):
        unpacked(b"x")


def test_a_concurrent_writer_is_waited_for(store, monkeypatch):
    monkeypatch.setattr("sim.prediction.store._PATIENCE_S", 0.1)
    with Store(store.path) as other, sqlite3.connect(store.path, isolation_level=None) as busy:
        busy.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="database is locked"):
            other.write([Entry(A, Known("done"))])
        busy.execute("ROLLBACK")
        other.write([Entry(A, Known("done"))])
    busy.close()
