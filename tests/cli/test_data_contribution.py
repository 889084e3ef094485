"""A valid contribution is checked, added and compared; any other is refused, a line for each fault."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from models import data_folder
from refusals import refused
from sim.data.packages import contributions
from sim.engine.simulation.options import RunOptions
from sim.prediction import adding
from sim.prediction.published import compared, published_figures
from sim.prediction.report import datasets, report
from sim.prediction.roles import role_of
from sim.system.case import Case
from sim.system.installed import find

EXAMPLE = data_folder() / "examples" / "bindfs-reads"
VALID = "bindfs-reads is valid: 36 figures, 6 to be fitted, 18 kept apart, 12 restated\n"
RESULT = "results/round-1/read-4k-8.json"


@pytest.fixture
def folder(tmp_path):
    """The example, to be broken."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "brought"))


def change(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def table(folder, *rows):
    """A table in place of the results of fio, with a split by users alone."""
    shutil.rmtree(folder / "results")
    (folder / "figures.csv").write_text("\n".join(["users,block,op,measure,value,unit", *rows, ""]), "utf-8")
    (folder / "split.toml").write_text(
        '[[fitted]]\nname = "one"\nwhere = { users = 1 }\n[[apart]]\nname = "eight"\nwhere = { users = 8 }\n',
        "utf-8",
    )


ROWS = ("1,4KiB,read,throughput,194,MB/s", "8,4KiB,read,throughput,453,MB/s")


def test_example_is_valid_with_results_or_a_table(run, folder):
    assert run("data", "check", EXAMPLE) == (0, VALID, "")
    table(folder, *ROWS)
    assert run("data", "check", folder) == (
        0,
        "bindfs-reads is valid: 2 figures, 1 to be fitted, 1 kept apart, 0 restated\n",
        "",
    )


def test_many_runs_that_disagree_are_reported_in_a_few_lines(run, folder):
    sizes = [2**number for number in range(2, 10)]
    runs = [f"{users},{size}KiB,read,throughput,{users * (9 + size)},MB/s" for users in (1, 8) for size in sizes]
    table(folder, *runs, *(row.replace("MB/s", "GB/s") for row in runs if row.startswith("1,")))
    status, out, _ = run("data", "check", folder)
    *worst, others = re.sub(r"\n +", " ", out).splitlines()
    assert status == 1
    assert len(worst) == 3
    assert all("has" in line and "under the same conditions; add the condition" in line for line in worst)
    assert (
        "brought: runs disagree under 5 conditions, too; add what differs, or measure again on a quiet" in others
    )
    named = re.findall(r"users=1 block=(\d+)KiB op=read \(throughput\)", others)
    told = [re.search(r"line (\d+): ", line)[1] for line in worst]
    assert sorted([*(int(each) for each in named), *(sizes[int(each) - 18] for each in told)]) == sizes


def removed(name):
    return lambda folder: (folder / name).unlink()


def meta(old, new):
    return lambda folder: change(folder / "meta.toml", old, new)


def split(old, new):
    return lambda folder: change(folder / "split.toml", old, new)


def result(old, new):
    return lambda folder: change(folder / RESULT, old, new)


def results(*changes):
    def each(folder):
        for change_of_file in changes:
            result(*change_of_file)(folder)

    return each


def rows(*rows):
    return lambda folder: table(folder, *rows)


WAYS = {
    "a key misspelt": (meta("software", "sofware"), r"meta.toml, sofware is '.*; did you mean 'software'\?"),
    "a key left out": (meta('licence = "Apache-2.0"\n', ""), "meta.toml, licence is missing; add it"),
    "a name with blanks": (
        meta("bindfs-reads", "my reads"),
        "meta.toml, name is 'my reads'; allowed: small letters, digits and -",
    ),
    "a date that is none": (
        meta("2026-11-22", "last week"),
        "meta.toml, measured is 'last week'; date is 'last w",
    ),
    "a grade that is none": (
        meta('quality = "A"', 'quality = "E"'),
        "meta.toml, quality is 'E'; allowed: A, B, C",
    ),
    "no TOML": (meta('quality = "A"', "quality = A"), "meta.toml' is no TOML"),
    "a system that nobody has": (meta("bindfs.toml", "nvm"), r"meta.toml: no system 'nvm'; did you mean 'nvme'\?"),
    "a system elsewhere": (meta("bindfs.toml", "../bindfs.toml"), "allowed: a file in the same folder"),
    "a system left at home": (removed("bindfs.toml"), "meta.toml: cannot read stack file .*bindfs.toml"),
    "a setting that it has not": (
        meta('quality = "A"', 'quality = "A"\nsettings = { nodes = 2 }'),
        "no setting 'nodes'",
    ),
    "a setting that the results state": (
        meta('quality = "A"', 'quality = "A"\nsettings = { op = "write" }'),
        "op is 'read', yet op=write is given; leave one out",
    ),
    "no split": (removed("split.toml"), "split.toml is missing; write it"),
    "nothing kept apart": (split("[[apart]]", "[[fitted]]"), "split.toml, apart is missing; add it"),
    "a figure in no part": (
        split('where = { measure = "p99" }', 'where = { measure = "p99", users = 8 }'),
        "split.toml, 'users=1 block=4KiB op=read/p99 latency' is in no part",
    ),
    "a figure in both": (
        split('where = { measure = "throughput", users = 8, block = "4KiB" }', "where = { users = 8 }"),
        "p99 latency' is fitted in 'throughput of eight users at 4 KiB' and apart in '99th percentiles'; decide",
    ),
    "a setting of the split misspelt": (
        split("users = 8, block", "user = 8, block"),
        "no setting 'user'; did you",
    ),
    "a value that nobody measured": (
        split('["1KiB", "128KiB"] }\n\n[[fitted]]', '["1KiB", "64KiB"] }\n\n[[fitted]]'),
        "names block '64KiB', which no figure has",
    ),
    "a value that is none": (
        split('block = "4KiB" }\n\n[[apart]]', 'block = "4 kilo" }\n\n[[apart]]'),
        "block is '4 kilo'",
    ),
    "results cut short": (
        lambda folder: (folder / RESULT).write_bytes((folder / RESULT).read_bytes()[:3000]),
        "read-4k-8.json: its text is cut short",
    ),
    "a run that failed": (result('"error" : 0', '"error" : 5'), "line 8: job 'read-4k-8' ended with error 5"),
    "a run that the system cannot do": (
        result('"rw" : "read"', '"rw" : "randrw"'),
        "rw is 'randrw'; allowed for bind",
    ),
    "bandwidth of another block": (
        result('"bs" : "4k"', '"bs" : "8k"'),
        "iops 110528 of 8192 bytes, which make 905,400,000, and bw_bytes says 452,700,000",
    ),
    "a repeat that disagrees": (
        results(
            ('"bw_bytes" : 452722459', '"bw_bytes" : 952722459'),
            ('"iops" : 110527.944112', '"iops" : 232598.256592'),
            ('"io_bytes" : 907255808', '"io_bytes" : 1909255808'),
        ),
        "throughput is 473.461 MB/s, but line 8 of results/round-1/read-4k-8.json has 952.722 MB/s",
    ),
    "no results": (lambda folder: shutil.rmtree(folder / "results"), "neither figures.csv nor a folder results"),
    "a row with another unit": (rows(ROWS[0], ROWS[1].replace("MB/s", "ms")), "line 3: unit is 'ms'"),
    "a row with a misspelt measure": (
        rows(ROWS[0], ROWS[1].replace("throughput", "troughput")),
        "line 3: measure is",
    ),
    "a cell that is no number": (rows(ROWS[0], ROWS[1].replace("453", "many")), "line 3: value is 'many'"),
    "a mean that leaves too few in flight": (
        rows(*ROWS, "8,4KiB,read,mean,7,ms"),
        "line 4: mean is 0.007 s, but with 453 MB/s it leaves 774 in flight, and conditions say 8",
    ),
    "a name that no terminal shows": (
        lambda folder: (folder / RESULT).rename(folder / "results" / "read\x1b[31m.json"),
        r"read\\x1b\[31m.json has a character in its name that cannot be shown",
    ),
    "results of which the system answers nothing": (
        lambda folder: (
            change(folder / "meta.toml", "bindfs.toml", "dbfs-files"),
            shutil.rmtree(folder / "results" / "round-2"),
            [path.unlink() for path in (folder / "results").rglob("read-*-8.json")],
            (folder / "split.toml").write_text('[[apart]]\nname = "all"\nwhere = { processes = 1 }\n', "utf-8"),
        ),
        "dbfs-files is no model of such runs of fio",
    ),
    "a folder that states what the results state": (
        lambda folder: (folder / "results" / "round-1").rename(folder / "results" / "users=3"),
        "users is '1', yet its folder states users=3; leave one out",
    ),
    "a folder that states no setting": (
        lambda folder: (folder / "results" / "round-1").rename(folder / "results" / "oven=3"),
        "no setting 'oven'",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_broken_contribution_is_refused_with_the_place(run, folder, tmp_path, way):
    broken, said = WAYS[way]
    broken(folder)
    for words in (("check", folder), ("add", folder, "--into", tmp_path / "into")):
        status, out, err = run("data", *words)
        assert (status, err) == (1, ""), out
        assert re.search(said, out), out
        lines = [line for line in out.splitlines() if not line.startswith(" ")]  # what is long goes on below
        assert all(folder.name in line for line in lines), out
    assert not (tmp_path / "into").exists()


def test_every_wrong_row_is_reported(run, folder):
    table(folder, *(row.replace("MB/s", "ms") for row in ROWS))
    _, out, _ = run("data", "check", folder)
    assert [line.partition(": ")[0] for line in out.splitlines()] == [
        f"{folder / 'figures.csv'}, line {number}" for number in (2, 3)
    ]


# Adding.


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_added_contribution_keeps_its_files_and_gains_a_data_package(run, folder, tmp_path):
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("not for others", "utf-8")
    brought = contents(EXAMPLE)
    status, out, err = run("data", "add", folder, "--into", tmp_path / "mine")
    target = tmp_path / "mine" / "bindfs-reads"
    assert (status, out, err) == (0, f"{VALID}added as {target}; `stacksim report {target}` compares it\n", "")
    added = contents(target)
    made = {"bindfs-reads.csv", "datapackage.json", "measurement.schema.json"}
    assert {name: added[name] for name in brought} == brought
    assert added.keys() - brought.keys() == made
    assert [each.name for each in target.parent.iterdir()] == ["bindfs-reads"]
    assert run("data", "check", target) == (0, VALID, "")


def test_package_follows_the_standard_and_equals_the_results(run, tmp_path):
    import frictionless

    run("data", "add", EXAMPLE, "--into", tmp_path)
    target = tmp_path / "bindfs-reads"
    assert frictionless.validate(target / "datapackage.json").valid
    (target / "meta.toml").rename(tmp_path / "meta.toml")
    (package,) = datasets([str(target)])
    (brought,) = datasets([str(EXAMPLE)])
    for one, other in zip(package.measurements, brought.measurements, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-8)
        assert (one.name, one.conditions, one.unit) == (other.name, other.conditions, other.unit)
    assert (package.restated, package.for_fit, package.never_fitted, package.sources) == (
        brought.restated,
        brought.for_fit,
        brought.never_fitted,
        brought.sources,
    )


def test_stated_split_decides_fitted_and_tested_figures():
    (dataset,) = datasets([str(EXAMPLE)])
    system = find(dataset.system)
    assert {(figure.measure, role_of(system, dataset, figure)) for figure in dataset.measurements} == {
        ("throughput", "fitted"),
        ("throughput", "predicted"),
        ("p99", "predicted"),
        ("mean", "restated"),
    }
    conditions = [
        (dict(figure.conditions)["users"], dict(figure.conditions)["block"]) for figure in dataset.fitted()
    ]
    assert sorted({*conditions}) == [("1", "128KiB"), ("1", "1KiB"), ("8", "4KiB")]
    assert len(conditions) == 6


def test_duplicate_contribution_is_refused(run, folder, tmp_path):
    into = ("--into", tmp_path / "mine")
    run("data", "add", folder, *into)
    before = contents(tmp_path / "mine")
    refused(run("data", "add", folder, *into), "is there already; give the contribution another name")
    assert contents(tmp_path / "mine") == before
    change(folder / "meta.toml", "bindfs-reads", "cubefs")
    refused(run("data", "add", folder, *into), "there is a dataset 'cubefs' already")


def test_a_contributed_file_is_not_overwritten_by_a_generated_one(run, folder, tmp_path):
    notes = folder / "bindfs-reads.csv"
    notes.write_text("mine\n", "utf-8")
    for words in (("check", folder), ("add", folder, "--into", tmp_path / "into")):
        status, out, err = run("data", *words)
        assert (status, err) == (1, "")
        assert out.startswith(f"{notes} is where a file is made of the others; rename it, or the")
    assert not (tmp_path / "into").exists()
    assert notes.read_text("utf-8") == "mine\n"


def test_added_contribution_can_be_added_elsewhere(run, folder, tmp_path):
    run("data", "add", folder, "--into", tmp_path / "first")
    again = ("data", "add", tmp_path / "first" / "bindfs-reads", "--into", tmp_path / "second")
    assert run(*again)[0] == 0
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


@pytest.mark.parametrize("name", [RESULT, "results/users=8_op=read.txt", "log.txt", "figures.csv"])
def test_oversized_file_is_refused_unread(run, folder, tmp_path, name):
    with (folder / name).open("wb") as file:
        file.truncate(5 * 10**9)  # no bytes of the disk
    message = f"{folder / name} has 4768 MiB; allowed: up to 64 MiB a file; bring results, not logs"
    refused(run("data", "add", folder, "--into", tmp_path / "into"), message)
    if name != "log.txt":
        status, out, _ = run("data", "check", folder)
        assert status == 1
        assert f"{folder / name} has 4768 MiB; allowed: up to 64 MiB a file" in out
    assert not (tmp_path / "into").exists()


def test_second_of_two_concurrent_contributions_has_to_wait(run, folder, tmp_path, monkeypatch):
    into, copy, said = tmp_path / "mine", shutil.copyfile, []

    def meanwhile(one, other):
        if not said:
            said.append(run("data", "add", folder, "--into", into))
        return copy(one, other)

    monkeypatch.setattr("sim.prediction.adding.shutil.copyfile", meanwhile)
    status, out, _ = run("data", "add", folder, "--into", into)
    assert (status, out.endswith("compares it\n")) == (0, True)
    ((status, out, err),) = said
    assert (status, out) == (2, "")
    assert "another `stacksim data add` is at work on '" in err
    assert [each.name for each in into.iterdir()] == ["bindfs-reads"]
    monkeypatch.undo()
    assert run("data", "check", into / "bindfs-reads") == (0, VALID, "")


def test_contribution_added_in_between_is_not_replaced(run, folder, tmp_path, monkeypatch):
    """Both were told that the name is free; the other is done before this one begins to write."""
    into, came = tmp_path / "mine", []

    def meanwhile(names):
        if not came:
            came.append(True)
            run("data", "add", folder, "--into", into)
            (into / "bindfs-reads" / "first").touch()
        return datasets(names)

    monkeypatch.setattr("sim.prediction.adding.datasets", meanwhile)
    status, _, err = run("data", "add", folder, "--into", into)
    assert status == 2
    assert "is there already; give the contribution another name" in err
    assert (into / "bindfs-reads" / "first").exists()


@pytest.mark.parametrize("way", ["site", "inside", "file", "link", "nothing", "nowhere"])
def test_unwritable_target_is_refused_in_one_line(run, folder, tmp_path, way):
    into = tmp_path / "mine"
    if way == "site":
        into = tmp_path / "lib" / "site-packages" / "models"
        into.mkdir(parents=True)
    elif way == "inside":
        into = folder / "mine"
    elif way == "file":
        into.write_text("a file", "utf-8")
    elif way == "link":
        (folder / "results" / "linked.json").symlink_to(tmp_path / "elsewhere.json")
    elif way == "nothing":
        (folder / "meta.toml").unlink()
    else:
        into = tmp_path / "no" / "such" / "folder"
    refused(run("data", "add", folder, "--into", into))
    assert not into.is_dir() or not [*into.iterdir()]


def test_a_disk_that_is_full_leaves_nothing_half_written(run, folder, tmp_path, monkeypatch):
    def full(_from, to):
        Path(to).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sim.prediction.adding.shutil.copyfile", full)
    status, _, err = run("data", "add", folder, "--into", tmp_path / "mine")
    assert status == 2
    assert "No space left on device" in err
    assert [*(tmp_path / "mine").iterdir()] == []


def test_outside_a_checkout_a_folder_is_required(run, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(adding, "CHECKOUT", tmp_path / "site-packages" / "calibration-data")
    status, _, err = run("data", "add", folder)
    assert status == 2
    assert err == (
        "stacksim: stacksim is installed, not a checkout; say where to: --into FOLDER, a folder of your own\n"
    )


def test_table_that_contradicts_the_results_is_reported(run, tmp_path):
    run("data", "add", EXAMPLE, "--into", tmp_path)
    target = tmp_path / "bindfs-reads"
    change(target / "bindfs-reads.csv", "1418.27633", "1518.27633")
    status, out, _ = run("data", "check", target)
    assert (status, out.startswith(f"{target / 'bindfs-reads.csv'} is not what the other files say")) == (1, True)


# Where it is read.


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A data package with contributions, which the systems are compared with."""
    package = tmp_path / "calibration-data"
    package.mkdir()
    for name in ("datapackage.json", "measurement.schema.json"):
        shutil.copy(data_folder() / name, package)
    for path in data_folder().glob("*.csv"):
        shutil.copy(path, package)
    system = find("shared-file")
    monkeypatch.setattr(
        "sim.prediction.report.systems", lambda: {"shared-file": replace(system, data_package=package)}
    )
    monkeypatch.setattr(adding, "CHECKOUT", package)
    return package


def test_contribution_in_a_checkout_is_part_of_every_report(run, folder, checkout):
    status, out, _ = run("data", "add", folder)
    assert status == 0
    assert out.endswith("`stacksim report bindfs-reads` compares it\n")
    assert contributions(checkout) == [checkout / "contributions" / "bindfs-reads"]
    assert [each.name for each in datasets(())][-1] == "bindfs-reads"
    status, out, err = run("data", "check", checkout)
    assert (status, err) == (0, ""), out
    assert out.endswith(f"\n{VALID}")
    (dataset,) = datasets(["bindfs-reads"])
    assert dataset.system == str(checkout / "contributions" / "bindfs-reads" / "bindfs.toml")


def test_measurements_of_an_installed_system_are_tested_only_after_a_comparison(run, folder, checkout):
    shutil.rmtree(folder / "results")
    (folder / "meta.toml").write_text(
        (folder / "meta.toml").read_text("utf-8").replace("bindfs.toml", "shared-file")
        + '[settings]\ndevice = "nvme"\nfilesystem = "ext4"\nmount = "direct"\nkernel = "6.3"\n',
        "utf-8",
    )
    (folder / "figures.csv").write_text("writers,block,measure,value,unit\n7,4KiB,iops,30,kIOPS\n", "utf-8")
    (folder / "split.toml").write_text('[[apart]]\nname = "all"\nwhere = { writers = 7 }\n', "utf-8")
    status, out, err = run("data", "add", folder)
    assert status == 0, out + err
    system = replace(find("shared-file"), data_package=checkout)
    (found,) = [
        figure.value
        for (conditions, _), figure in published_figures(system).items()
        if ("writers", 7) in conditions
    ]
    assert found == 30.0
    case = Case.of(
        system, {"device": "nvme", "filesystem": "ext4", "mount": "direct", "kernel": "6.3", "writers": 7}
    )
    assert list(compared(system)) == list(compared(replace(system, data_package=data_folder())))
    assert case.settings not in list(compared(system))
    with (checkout / "misses.csv").open("a", encoding="utf-8") as file:
        file.write("bindfs-reads,writers=7 block=4KiB,iops,shared-file,iops,0.01\n")
    assert case.settings in list(compared(system))


def test_systems_of_equal_name_are_kept_separate(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    change(other / "meta.toml", "bindfs-reads", "slower")
    change(other / "bindfs.toml", 'handler = { value = "5us"', 'handler = { value = "15us"')
    found = report(datasets([str(folder), str(other)]), RunOptions(precision=0.2)).cells
    of = {(cell.dataset, cell.row, cell.column): cell.predicted for cell in found}
    key = ("users=1 block=1KiB op=read", "throughput")
    assert of["slower", *key] < 0.8 * of["bindfs-reads", *key]


def test_a_contribution_may_include_a_system_in_python(run, folder):
    (folder / "disk.py").write_text(SYSTEM, "utf-8")
    change(folder / "meta.toml", "bindfs.toml", "disk.py:DISK")
    table(folder, "1,8KiB,read,throughput,2,MB/s", "8,8KiB,read,throughput,2,MB/s")
    assert run("data", "check", folder)[0] == 0


SYSTEM = """
from dataclasses import dataclass

from sim import Closed, Model, Station, Use
from sim.system import Parameters, Scenario, Settings, System, choice, count, parameter, size


@dataclass(frozen=True)
class DiskSettings:
    users: int = count(1, "processes that read")
    block: int = size(8192, "bytes of a read")
    op: str = choice("read", "what they do", ("read", "write"))


@dataclass(frozen=True)
class DiskParameters:
    access_s: float = parameter(4e-3, "s", 1e-3, 16e-3, "fitted", "data sheet")


def build(settings, parameters):
    reader = Closed("reader", clients=settings.users, path=[Use(Station("arm"), parameters.access_s)])
    return Scenario(Model([reader]), "reader", settings.block / 1e6, "MB/s")


DISK = System("disk", "a disk", Settings.of(DiskSettings), Parameters.of(DiskParameters), build)
"""


@pytest.mark.long
def test_interrupted_contribution_leaves_nothing_behind(folder, tmp_path):
    """Ctrl-C while files are copied: what was begun is removed."""
    into = tmp_path / "mine"
    code = (
        "import os, signal, sys, shutil\n"
        "copy = shutil.copyfile\n"
        "def stopped(one, other):\n"
        "    copy(one, other)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "shutil.copyfile = stopped\n"
        "from sim.cli import main\n"
        f"sys.argv = ['stacksim', 'data', 'add', {str(folder)!r}, '--into', {str(into)!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=dict(os.environ))
    assert done.returncode == 130
    assert [*into.iterdir()] == []
