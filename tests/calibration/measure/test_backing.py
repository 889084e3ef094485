"""Files that memory keeps below their device are there before each job, whoever freed memory meanwhile."""

from __future__ import annotations

import os
from dataclasses import replace
from types import SimpleNamespace

import pytest

from sim.engine.errors import InputError
from stacksim.measuring import backing, session
from stacksim.measuring.facts import facts_of
from stacksim.measuring.jobs import Job
from stacksim.measuring.plan import Plan

ALONE, FOUR = Job("read", 4096, 1, 1), Job("write", 4096, 4, 1)


class Tool:
    """Lays out small files, and knows no storage."""

    def __init__(self, folder):
        self.folder, self.pieces = folder, []

    def lay_out(self, users, piece_bytes):
        self.pieces.append(piece_bytes)
        for number in range(users):
            (self.folder / f"data.{number}").write_bytes(b"x")

    def run(self, _job):
        return {"jobs": [{"read": {"bw_bytes": 1e6}, "write": {"bw_bytes": 1e6}, "job options": {}}]}


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Runs two jobs over a device; returns for how many files each fetched, and how the files were laid out."""

    def of(*, cached_below):
        fetched, tools = [], []
        monkeypatch.setattr(session, "fetch", lambda _folder, names: fetched.append(tuple(names)))
        monkeypatch.setattr(
            session.Session, "_tool", lambda _self, place: tools.append(Tool(place)) or tools[-1], raising=True
        )
        facts = replace(facts_of(tmp_path), cached_below=cached_below, kind="disk")
        made = session.Session(facts, ("",), SimpleNamespace(), "fio", None, Plan((ALONE,), (FOUR,), ()), own=True)
        made.run(keep=False, on_run=lambda *_: None, more=lambda _: ())
        return sorted(fetched), tools[0].pieces

    return of


def test_each_job_reads_back_the_files_of_its_processes(ran):
    fetched, pieces = ran(cached_below=True)
    assert fetched == [("data.0",)] * 2 + [("data.0", "data.1", "data.2", "data.3")] * 2
    assert pieces == [64 << 10]


def test_files_of_other_devices_are_left_where_they_are(ran):
    assert ran(cached_below=False) == ([], [1 << 20])


def test_all_of_a_file_is_read_and_not_from_its_own_cache(tmp_path, monkeypatch):
    (tmp_path / "data.0").write_bytes(bytes(5 << 19))
    flags, sizes, real = [], [], os.preadv
    opened = os.open
    monkeypatch.setattr(os, "open", lambda path, how: flags.append(how) or opened(path, how & ~os.O_DIRECT))
    monkeypatch.setattr(os, "preadv", lambda *words: sizes.append(real(*words)) or sizes[-1])
    backing.fetch(tmp_path, ["data.0"])
    assert all(each & os.O_DIRECT for each in flags)
    assert sizes == [1 << 20, 1 << 20, 1 << 19, 0]


def test_a_missing_file_or_a_link_is_refused(tmp_path):
    (tmp_path / "data.1").symlink_to(tmp_path / "elsewhere")
    for name in ("data.0", "data.1"):
        with pytest.raises(InputError, match=rf"{name}' cannot be read past its cache: .*; measure elsewhere$"):
            backing.fetch(tmp_path, [name])
