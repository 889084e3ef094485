"""`stacksim data check` names everything that is wrong with a folder of measurements, a line each."""

from __future__ import annotations

import json
import re

import pytest

from models import data_folder

HEAD = "source,table,row,column,measure,value,unit,half_width,conditions,quality"
RUN = "device=nvme filesystem=ext4 mount=direct kernel=6.3 writers=10 depth=10 block=4KiB"
ROWS = [f"ext4,1,4K,iops,iops,50,kIO/s,0.5,{RUN},A", f"ext4,1,4K,bandwidth,throughput,195,MiB/s,0.5,{RUN},A"]


@pytest.fixture
def folder(tmp_path):
    """Makes a data package of ``rows``."""

    def made(*rows, **entry):
        resource = {"name": "own", "title": "Own", "system": "shared-file", "path": "own.csv"}
        resource |= {"schema": "measurement.schema.json", **entry}
        package = {"name": "mine", "resources": [resource]}
        (tmp_path / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
        schema = (data_folder() / "measurement.schema.json").read_text(encoding="utf-8")
        (tmp_path / "measurement.schema.json").write_text(schema, encoding="utf-8")
        (tmp_path / "own.csv").write_text("\n".join([HEAD, *rows, ""]), encoding="utf-8")
        return tmp_path

    return made


def test_what_is_in_order_is_said_to_be(run, folder):
    assert run("data", "check", folder(*ROWS)) == (0, "own is in order: 2 figures\n", "")
    assert run("data", "check", folder(*ROWS) / "own.csv") == (0, "own is in order: 2 figures\n", "")


def test_every_problem_is_a_line_with_file_line_and_what_is_allowed(run, folder):
    rows = [
        ROWS[0].replace(",A", ",D"),
        ROWS[1].replace("195", "abc"),
        ROWS[0].replace("4K,iops", "5K,iops").replace("4KiB", "5 KiB"),
        ROWS[0].replace("4K,iops", "6K,iops").replace("writers", "writer"),
        ROWS[0].replace("4K,iops", "7K,iops").replace("kIO/s", "IOPS").replace("depth=10", "depth=9"),
        ROWS[1].replace("4K,", "8K,"),
        ROWS[0].replace("4K,iops", "8K,iops").replace("50,", "20,"),
    ]
    path = folder(*rows)
    status, out, err = run("data", "check", path)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert [line.partition(":")[0].partition(", column")[0] for line in lines] == [
        f"{path / 'own.csv'}, line {number}" for number in (2, 3, 4, 5, 6, 7)
    ]
    assert "quality is 'D'" in lines[0]
    assert "value" in lines[1]
    assert "conditions" in lines[2]
    assert "no setting 'writer'; did you mean 'writers'?" in lines[3]
    assert "is in IOPS, but system 'shared-file' predicts iops in kIO/s" in lines[4]
    assert "20 kIO/s of 4096 bytes are 78.12 MiB/s" in lines[5]


def test_of_a_system_that_is_not_installed_only_the_arithmetic_is_checked(run, folder):
    status, out, _ = run("data", "check", folder(*ROWS, system="bakery"))
    assert status == 0
    assert "own: its system is not installed, so its conditions were not checked" in out
    rows = [ROWS[0], ROWS[1].replace("195", "19.5")]
    status, out, _ = run("data", "check", folder(*rows, system="bakery"))
    assert status == 1
    assert "throughput is 19.5 MiB/s, but 50 kIO/s of 4096 bytes are 195.3 MiB/s" in out


def test_what_is_no_data_package_is_refused_in_one_line(run, tmp_path, folder):
    status, out, err = run("data", "check", tmp_path / "nowhere")
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    other = folder(*ROWS) / "other.csv"
    other.write_text(HEAD, encoding="utf-8")
    status, out, err = run("data", "check", other)
    assert (status, out) == (2, "")
    assert err.startswith(f"stacksim: {other} is in no entry of {tmp_path / 'datapackage.json'}; add one")


def test_the_example_of_the_page_is_in_order(run, folder):
    page = (data_folder().parent / "docs" / "contributing-data.md").read_text(encoding="utf-8")
    table, package = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("csv", "json"))
    path = folder()
    (path / "own.csv").write_text(table, encoding="utf-8")
    (path / "datapackage.json").write_text(package, encoding="utf-8")
    assert run("data", "check", path) == (0, "own is in order: 2 figures\n", "")


def test_what_is_published_here_is_in_order(run):
    status, out, err = run("data", "check", data_folder())
    assert (status, err) == (0, ""), out
