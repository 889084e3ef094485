"""`stacksim data check` names everything that is wrong with a folder of measurements, a line each."""

from __future__ import annotations

import json
import re

import pytest

from models import data_folder
from refusals import refused

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


def test_valid_data_package_is_called_valid(run, folder):
    assert run("data", "check", folder(*ROWS)) == (0, "own is valid: 2 figures\n", "")
    assert run("data", "check", folder(*ROWS) / "own.csv") == (0, "own is valid: 2 figures\n", "")


def test_every_problem_names_file_line_and_allowed_values(run, folder):
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


def test_data_of_an_uninstalled_system_is_checked_by_arithmetic_alone(run, folder):
    status, out, _ = run("data", "check", folder(*ROWS, system="bakery"))
    assert status == 0
    assert "own: its system is not installed, so its conditions were not checked" in out
    rows = [ROWS[0], ROWS[1].replace("195", "19.5")]
    status, out, _ = run("data", "check", folder(*rows, system="bakery"))
    assert status == 1
    assert "throughput is 19.5 MiB/s, but 50 kIO/s of 4096 bytes are 195.3 MiB/s" in out


def test_folder_without_data_package_is_refused_in_one_line(run, tmp_path, folder):
    refused(run("data", "check", tmp_path / "nowhere"))
    other = folder(*ROWS) / "other.csv"
    other.write_text(HEAD, encoding="utf-8")
    refused(run("data", "check", other), f"{other} is in no entry of {tmp_path / 'datapackage.json'}; add one")


PAGE = data_folder().parent / "docs" / "dev" / "contributing-data.md"


def block(kind, start):
    """The block of the page of that kind that begins so."""
    return re.search(rf"```{kind}\n({re.escape(start)}.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]


def test_the_table_of_the_page_is_valid(run, folder):
    path = folder()
    (path / "own.csv").write_text(block("csv", "source,"), encoding="utf-8")
    (path / "datapackage.json").write_text(block("json", "{"), encoding="utf-8")
    assert run("data", "check", path) == (0, "own is valid: 4 figures\n", "")


def test_the_page_shows_the_files_of_the_example():
    example = data_folder() / "examples" / "bindfs-reads"
    assert block("toml", "name =") == (example / "meta.toml").read_text("utf-8")
    assert block("toml", "# Decided") == (example / "split.toml").read_text("utf-8")


def test_a_table_of_the_page_is_read_as_a_users_table(run, tmp_path):
    (tmp_path / "figures.csv").write_text(block("csv", "users,"), encoding="utf-8")
    stack = data_folder() / "examples" / "bindfs-reads" / "bindfs.toml"
    status, out, _ = run("report", tmp_path / "figures.csv", "--system", stack, "--json", "--precision", "20%")
    report = json.loads(out)
    assert (status, len(report["cells"])) == (0, 1)
    (percentile,) = report["unpredicted"]  # of a stack whose times are constants
    assert (percentile["column"], percentile["reason"][:19]) == ("p99 latency", "p99 is not modelled")


BROKEN = {
    "a role misspelt": ({"never_fited": []}, "never_fited is .*; did you mean 'never_fitted'"),
    "a role of a setting that no figure has": (
        {"never_fitted": [{"name": "deep", "setting": "dpeth", "values": ["10"]}]},
        "never_fitted of 'own', 'deep' names setting 'dpeth', which no figure has; did you mean 'depth'",
    ),
    "a role of a value that no figure has": (
        {"for_fit": [{"name": "deep", "setting": "depth", "values": ["100"]}]},
        "for_fit of 'own', 'deep' names depth '100', which no figure has; did you mean '10'",
    ),
    "a scatter that is none": ({"scatter": 2}, "scatter is 2; allowed: a number below 1"),
    "a table elsewhere": ({"path": "../own.csv"}, "path is '../own.csv'; allowed: a file in the same folder"),
}


@pytest.mark.parametrize("way", BROKEN)
def test_an_invalid_descriptor_is_a_problem_like_any_other(run, folder, way):
    entry, said = BROKEN[way]
    status, out, err = run("data", "check", folder(*ROWS, **entry))
    assert (status, err) == (1, "")
    assert re.search(said, out), out


def test_a_descriptor_that_is_no_json_is_a_problem(run, folder):
    path = folder(*ROWS)
    (path / "datapackage.json").write_text("{", encoding="utf-8")
    assert run("data", "check", path)[0] == 1


def test_a_source_may_have_any_short_name_and_one_figure_is_one(run, folder):
    assert run("data", "check", folder(ROWS[0].replace("ext4,1", "doe-2026,1"))) == (
        0,
        "own is valid: 1 figure\n",
        "",
    )


def test_figures_above_the_hardware_are_refused(run, folder):
    row = "doe,1,4,write,throughput,20000,MB/s,1,nodes=1 cells=3 users=1 block=1MiB op=write,A"
    status, out, _ = run("data", "check", folder(row, system="dbfs"))
    assert status == 1
    assert "line 2: throughput is 20,000 MB/s; allowed: at most 1600 MB/s (1 x qdr InfiniBand card" in out


def test_published_data_package_is_valid(run):
    status, out, err = run("data", "check", data_folder())
    assert (status, err) == (0, ""), out
