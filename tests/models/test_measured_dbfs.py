"""Own measurements of DBFS: its physical ceilings, and the refusals that the documents show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from models.systems.dbfs import DBFS
from sim import InputError
from sim.data.importers import read
from sim.data.package import DataPackage
from sim.system.settings import complete

DOCUMENT = Path(__file__).parents[2] / "docs" / "refusals.md"


def lowest(**given):
    """The lowest ceiling of throughput in MB/s, and what sets it."""
    found = min(DBFS.limits(complete(DBFS.settings, given)), key=lambda each: each.most)
    return found.most, found.why


@pytest.mark.parametrize(
    ("given", "most", "hardware"),
    [
        ({"op": "read"}, 3200.0, "1 x qdr InfiniBand card"),
        ({"op": "write"}, 1600.0, "1 x qdr InfiniBand card"),
        ({"op": "read", "link": "sdr", "nodes": 2}, 1800.0, "2 x sdr InfiniBand card"),
        ({"op": "read", "nodes": 4}, 5400.0, "3 x x2-2 cell"),
        ({"op": "write", "nodes": 4}, 2700.0, "3 x x2-2 cell"),
        ({"op": "write", "cells": 1, "cell": "v1"}, 1000.0, "1 x v1 cell"),
    ],
)
def test_the_ceiling_is_the_scarcer_of_cards_and_disks(given, most, hardware):
    found, why = lowest(**given)
    assert found == pytest.approx(most)
    assert why.startswith(hardware)
    assert ("written twice" in why) == (given["op"] == "write" and given.get("cells") != 1)


def test_no_published_figure_is_above_its_ceiling(calibration_data):
    for figure in DataPackage(calibration_data).read("dbfs-dd").measurements:
        assert figure.value <= lowest(**dict(figure.conditions))[0]


def documented():
    """The refusals that the document shows."""
    (block,) = re.findall(r"## Measurements\n.*?```\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    return block.splitlines()


def fio(rw):
    side = {"bw_bytes": 1}
    job = {"jobname": "scan", "groupid": 0, "error": 0, "job options": {"rw": rw}, "read": side, "write": side}
    return json.dumps({"fio version": "fio-3.28", "jobs": [job]}, indent=2)


HEADER = "users,op,value,unit\n"
REFUSED = [
    ("empty.csv", ""),
    ("own.csv", "node,value,unit\n1,205,MB/s\n"),
    ("own.csv", HEADER + "1,wri"),
    ("own.csv", HEADER + "1,write,205,\n"),
    ("own.csv", HEADER + "1,write,205,ms\n"),
    ("own.csv", HEADER + "1,write,-205,MB/s\n"),
    ("own.csv", HEADER + "8,write,20,GB/s\n"),
    ("own.csv", HEADER + "8,write,800,MB/s\n" + "8,write,810,MB/s\n"),
    ("dd/users=1_op=write.txt", "131072+0 records in\n131072+0 records out\n"),
    ("fio.json", fio("randrw")),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_document_shows_the_printed_refusals(tmp_path, monkeypatch, number):
    name, text = REFUSED[number]
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read(path if path.parent == Path() else path.parent, DBFS, {})
    assert str(caught.value) == documented()[number]


def test_every_shown_refusal_is_tried():
    assert len(documented()) == len(REFUSED)
