"""A data package that is in order is read; any other is refused with one line that says where and why."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sim import InputError
from sim.data.dataset import Measurement
from sim.data.package import DataPackage
from sim.system.complaints import written

TABLE = """\
source,table,row,column,measure,value,unit,half_width,conditions,quality
B1,1,Small oven,1t-bread,output,35,loaves/h,2.5,ovens=1 trays=1 kind=bread,A
B1,1,Small oven,1t-roll,output,120,loaves/h,2.5,ovens=1 trays=1 kind=roll,B
B1,2,"Two ovens, side by side",4t-bread,output,460,loaves/h,10,ovens=2 trays=4 kind=bread,C
"""

RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "source": ("string", {"pattern": "B[0-9]"}),
    "table": ("string", {"enum": ["1", "2"]}),
    "row": ("string", {}),
    "column": ("string", {"pattern": "[14]t-(bread|roll)"}),
    "measure": ("string", {"pattern": "[a-z]+"}),
    "value": ("number", {"minimum": 5}),
    "unit": ("string", {"enum": ["loaves/h"]}),
    "half_width": ("number", {"minimum": 0}),
    "conditions": ("string", {}),
    "quality": ("string", {"enum": ["A", "B", "C"]}),
}


def descriptor() -> dict[str, Any]:
    resource = {
        "name": "ovens",
        "title": "Ovens",
        "system": "bakery",
        "path": "ovens.csv",
        "schema": "schema.json",
    }
    return {"name": "bakeries", "resources": [{**resource, "schema": "schema.json"}]}


def schema() -> dict[str, Any]:
    fields = [
        {"name": name, "type": type_, "constraints": {"required": True, **rules}}
        for name, (type_, rules) in RULES.items()
    ]
    return {"fields": fields, "primaryKey": ["row", "column"]}


def write(folder: Path, package: object, table: bytes, columns: object = None) -> DataPackage:
    (folder / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
    (folder / "schema.json").write_text(json.dumps(columns or schema()), encoding="utf-8")
    (folder / "ovens.csv").write_bytes(table)
    return DataPackage(folder)


def refusal(action: Callable[[], object]) -> str:
    """The one line with which ``action`` is refused."""
    with pytest.raises(InputError) as caught:
        action()
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


def test_a_valid_package_is_read(tmp_path):
    package = write(tmp_path, descriptor(), TABLE.encode())
    assert package.names() == ("ovens",)
    ovens = package.read("ovens")
    assert (ovens.name, ovens.title, ovens.system) == ("ovens", "Ovens", "bakery")
    assert [figure.line for figure in ovens.measurements] == [2, 3, 4]
    assert ovens.measurements[2] == Measurement(
        dataset="ovens",
        source="B1",
        table="2",
        row="Two ovens, side by side",
        column="4t-bread",
        measure="output",
        value=460.0,
        unit="loaves/h",
        half_width=10.0,
        conditions=(("ovens", "2"), ("trays", "4"), ("kind", "bread")),
        quality="C",
        line=4,
    )


@pytest.mark.parametrize("table", [TABLE.replace("\n", "\r\n"), TABLE.removesuffix("\n")])
def test_line_ends_do_not_matter(tmp_path, table):
    assert len(write(tmp_path, descriptor(), table.encode()).read("ovens").measurements) == 3


def test_a_measurement_is_frozen(tmp_path):
    figure = write(tmp_path, descriptor(), TABLE.encode()).read("ovens").measurements[0]
    with pytest.raises(ValidationError, match="frozen"):
        figure.value = 36.0


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("value", 0.0), ("value", math.inf), ("half_width", -1.0), ("half_width", 36.0), ("conditions", "kind")],
)
def test_invalid_measurement_is_refused(tmp_path, name, wrong):
    figure = write(tmp_path, descriptor(), TABLE.encode()).read("ovens").measurements[0]
    with pytest.raises(ValidationError, match=name):
        Measurement.model_validate({**figure.model_dump(), name: wrong})


HEADER, FIRST, SECOND, THIRD = TABLE.splitlines()

TABLES = {
    "empty file": (TABLE, "", "line 1, column 1", "'source'"),
    "no rows": (TABLE, HEADER + "\n", "line 2", "at least one row"),
    "wrong column": ("row,column", "rows,column", "line 1, column 3", "'rows'", "'row'"),
    "missing column": (",quality", "", "line 1, column 10", "'quality'"),
    "duplicate column": ("source,table", "source,source,table", "line 1, column 2", "'source'", "'table'"),
    "extra column": (",quality", ",quality,note", "line 1, column 11", "'note'"),
    "columns in another order": ("source,table", "table,source", "line 1, column 1", "'table'", "'source'"),
    "no header": (HEADER + "\n", "", "line 1, column 1", "'B1'", "'source'"),
    "too few cells": (",2.5,ovens=1 trays=1 kind=roll", "", "line 3", "8 cells", "allowed: 10"),
    "too many cells": ("kind=roll,B", "kind=roll,B,B", "line 3", "11 cells", "allowed: 10"),
    "empty line": (SECOND, "", "line 3", "0 cells"),
    "file cut in a row": (THIRD[20:] + "\n", "", "line 4", "unexpected end", "quote"),
    "file cut before the last cell": (",C\n", "", "line 4", "9 cells", "cut short"),
    "file cut in the last cell": (",C\n", ",", "line 4", "column quality", "''"),
    "quote left open": ("B1,1,Small oven,1t-roll", 'B1,1,"Small oven,1t-roll', "line 4", "quote"),
    "value is no number": (",120,", ",12O,", "line 3", "column value", "'12O'", "allowed: a number"),
    "value with a unit": (",120,", ",120 loaves/h,", "line 3", "column value", "'120 loaves/h'"),
    "value is not a number": (",120,", ",nan,", "line 3", "column value", "'nan'", "finite"),
    "value with an underscore": (",120,", ",1_20,", "line 3", "column value", "'1_20'", "allowed: a number"),
    "value is infinite": (",120,", ",inf,", "line 3", "column value", "'inf'", "finite"),
    "value overflows": (",120,", ",1e999,", "line 3", "column value", "'1e999'", "finite"),
    "value is negative": (",120,", ",-120,", "line 3", "column value", "'-120'", "a number above 0"),
    "value is zero": (",120,", ",0,", "line 3", "column value", "'0'", "a number above 0"),
    "value is below the minimum": (",120,", ",4,", "line 3", "column value", "'4'", "at least 5"),
    "value is empty": (",120,", ",,", "line 3", "column value", "''"),
    "half-width is negative": ("35,loaves/h,2.5", "35,loaves/h,-2.5", "line 2", "'-2.5'", "at least 0"),
    "half-width above value": ("35,loaves/h,2.5", "35,loaves/h,36", "line 2", "'36'", "the value, 35"),
    "measure has another form": ("roll,output", "roll,Output", "line 3", "column measure", "'Output'"),
    "unit is empty": ("120,loaves/h", "120,", "line 3", "column unit", "''"),
    "unit is unknown": ("120,loaves/h", "120,loafs/h", "line 3", "column unit", "'loafs/h'", "'loaves/h'"),
    "table is unknown": ("B1,2,", "B1,3,", "line 4", "column table", "'3'", "allowed: 1, 2"),
    "source has another form": ("B1,2,", "C1,2,", "line 4", "column source", "'C1'", "B[0-9]"),
    "row is empty": ("1,Small oven,1t-roll", "1,,1t-roll", "line 3", "column row", "''"),
    "row of two lines": ("Small oven,1t-r", '"Small\noven",1t-r', "line 4", "column row", r"Small\noven"),
    "quality is unknown": ("roll,B", "roll,D", "line 3", "column quality", "'D'", "allowed: A, B, C"),
    "no conditions": ("ovens=1 trays=1 kind=roll", "", "line 3", "column conditions", "''", "name=value"),
    "condition without value": ("kind=roll", "kind=", "line 3", "column conditions", "'kind='", "name=value"),
    "condition without name": ("kind=roll", "=roll", "line 3", "column conditions", "'=roll'", "name=value"),
    "two spaces between": ("=1 kind=roll", "=1  kind=roll", "line 3", "column conditions", "one space"),
    "condition repeated": ("kind=roll", "ovens=2", "line 3", "column conditions", "'ovens=2'", "each name"),
    "figure repeated": ("1t-roll", "1t-bread", "line 3", "('Small oven', '1t-bread')", "of line 2"),
}


@pytest.mark.parametrize("case", TABLES)
def test_refuses_a_table(tmp_path, case):
    old, new, *expected = TABLES[case]
    assert old in TABLE
    package = write(tmp_path, descriptor(), TABLE.replace(old, new, 1).encode())
    message = refusal(lambda: package.read("ovens"))
    for part in (str(tmp_path / "ovens.csv"), *expected):
        assert part in message


def test_refuses_bytes_that_are_no_text(tmp_path):
    table = TABLE.encode().replace(b"Small oven,1t-roll", b"\xe4,1t-roll")
    package = write(tmp_path, descriptor(), table)
    message = refusal(lambda: package.read("ovens"))
    for part in (str(tmp_path / "ovens.csv"), "line 3", "0xe4", "UTF-8"):
        assert part in message


def change(*keys: str | int, to: object) -> Callable[[dict[str, Any]], None]:
    """An edit that gives the entry of a descriptor another value."""

    def edit(package: dict[str, Any]) -> None:
        *parents, last = keys
        entry: Any = package
        for key in parents:
            entry = entry[key]
        entry[last] = to

    return edit


def drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda package: package["resources"][0].pop(name)


DESCRIPTORS = {
    "no resources": (change("resources", to=[]), "resources", "at least 1"),
    "resources are no list": (change("resources", to="ovens.csv"), "resources", "'ovens.csv'"),
    "a resource is no object": (change("resources", 0, to="ovens.csv"), "resources.0", "'ovens.csv'"),
    "no path": (drop("path"), "resources.0.path", "missing"),
    "no name": (drop("name"), "resources.0.name", "missing"),
    "no title": (drop("title"), "resources.0.title", "missing"),
    "no system": (drop("system"), "resources.0.system", "missing"),
    "no schema": (drop("schema"), "resources.0.schema", "missing"),
    "name is no text": (change("resources", 0, "name", to=5), "resources.0.name", "5", "allowed: text"),
    "system is empty": (change("resources", 0, "system", to=""), "resources.0.system", "''"),
    "path with a zero": (change("resources", 0, "path", to="a\0b"), "resources.0.path", r"'a\x00b'"),
}


@pytest.mark.parametrize("case", DESCRIPTORS)
def test_refuses_a_descriptor(tmp_path, case):
    edit, *expected = DESCRIPTORS[case]
    package = descriptor()
    edit(package)
    message = refusal(lambda: write(tmp_path, package, TABLE.encode()))
    for part in (str(tmp_path / "datapackage.json"), *expected):
        assert part in message


SCHEMAS = {
    "no fields": (lambda columns: columns.pop("fields"), "fields", "missing"),
    "unknown column": (change("fields", 2, "name", to="rows"), "fields.2.name", "'rows'", "'row'"),
    "unknown type": (change("fields", 1, "type", to="date"), "fields.1.type", "'date'", "integer, number, string"),
    "optional column": (change("fields", 1, "constraints", to={}), "fields.1.constraints.required", "missing"),
    "unknown rule": (change("fields", 1, "constraints", "odd", to=1), "fields.1.constraints.odd", "1"),
    "pattern of doubtful meaning": (
        change("fields", 0, "constraints", "pattern", to="[a--z]"),
        "constraints.pattern",
        "'[a--z]'; allowed: a pattern without a possible set difference",
    ),
    "pattern is none": (change("fields", 0, "constraints", "pattern", to="B["), "constraints.pattern", "'B['"),
    "another key": (change("primaryKey", 1, to="unit"), "primaryKey", "'unit'", "allowed: column"),
}


@pytest.mark.parametrize("case", SCHEMAS)
def test_refuses_a_schema(tmp_path, case):
    edit, *expected = SCHEMAS[case]
    columns = schema()
    edit(columns)
    message = refusal(lambda: write(tmp_path, descriptor(), TABLE.encode(), columns).read("ovens"))
    for part in (str(tmp_path / "schema.json"), *expected):
        assert part in message


def test_reasons_say_why_figures_are_not_predicted(tmp_path):
    package = descriptor()
    package["resources"][0]["unpredicted"] = {"Small oven/1t-roll": "nobody knows"}
    ovens = write(tmp_path, package, TABLE.encode()).read("ovens")
    assert [ovens.why_unpredicted(figure) for figure in ovens.measurements] == [
        None,
        "nobody knows",
        None,
    ]


def test_a_reason_for_a_missing_figure_is_refused(tmp_path):
    package = descriptor()
    package["resources"][0]["unpredicted"] = {"Small oven/1t-rolls": "nobody knows"}
    message = refusal(lambda: write(tmp_path, package, TABLE.encode()).read("ovens"))
    for part in ("'ovens'", "'Small oven/1t-rolls'", "did you mean 'Small oven/1t-roll'?"):
        assert part in message


def test_figures_that_say_nothing_new_are_named_one_by_one_or_by_their_measure(tmp_path):
    package = descriptor()
    package["resources"][0]["restated"] = [
        {"name": "the others again", "setting": "figure", "values": ["Small oven/1t-roll"]}
    ]
    ovens = write(tmp_path, package, TABLE.encode()).read("ovens")
    assert [ovens.why_restated(each) for each in ovens.measurements] == [None, "the others again", None]
    package["resources"][0]["restated"] = [{"name": "all", "setting": "measure", "values": ["output"]}]
    ovens = write(tmp_path, package, TABLE.encode()).read("ovens")
    assert {ovens.why_restated(each) for each in ovens.measurements} == {"all"}


def test_a_missing_figure_cannot_be_called_restated(tmp_path):
    package = descriptor()
    package["resources"][0]["restated"] = [{"name": "why", "setting": "figure", "values": ["Small oven/1t-rolls"]}]
    message = refusal(lambda: write(tmp_path, package, TABLE.encode()).read("ovens"))
    for part in ("restated of 'ovens'", "'Small oven/1t-rolls'", "did you mean 'Small oven/1t-roll'?"):
        assert part in message


@pytest.mark.parametrize("package", [[], "ovens", None])
def test_refuses_a_descriptor_that_is_no_object(tmp_path, package):
    message = refusal(lambda: write(tmp_path, package, b""))
    assert str(tmp_path / "datapackage.json") in message
    assert written(package) in message


def test_refuses_a_name_that_stands_twice(tmp_path):
    package = descriptor()
    package["resources"] *= 2
    message = refusal(lambda: write(tmp_path, package, TABLE.encode()))
    assert str(tmp_path / "datapackage.json") in message
    assert "['ovens', 'ovens']" in message


def test_refuses_a_column_that_the_schema_has_twice(tmp_path):
    columns = schema()
    columns["fields"].append(columns["fields"][0])
    message = refusal(lambda: write(tmp_path, descriptor(), TABLE.encode(), columns).read("ovens"))
    assert "fields" in message
    assert "at most 10" in message


def test_refuses_a_schema_without_a_column(tmp_path):
    columns = schema()
    del columns["fields"][9]
    table = "\n".join(line.rpartition(",")[0] for line in TABLE.splitlines())
    message = refusal(lambda: write(tmp_path, descriptor(), table.encode(), columns).read("ovens"))
    assert "line 2, column quality is missing" in message


@pytest.mark.parametrize("path", ["/etc/hostname", "../ovens.csv", "part/../../ovens.csv"])
def test_refuses_a_path_that_leaves_the_folder(tmp_path, path):
    package = descriptor()
    package["resources"][0]["path"] = path
    message = refusal(lambda: write(tmp_path, package, TABLE.encode()).read("ovens"))
    assert str(tmp_path / "datapackage.json") in message
    assert repr(path) in message


@pytest.mark.parametrize(("path", "expected"), [("oven.csv", "cannot be read"), (".", "is a folder; name a file")])
def test_refuses_a_path_to_no_file(tmp_path, path, expected):
    package = descriptor()
    package["resources"][0]["path"] = path
    message = refusal(lambda: write(tmp_path, package, TABLE.encode()).read("ovens"))
    assert str(tmp_path / path) in message
    assert expected in message


def test_refuses_an_unknown_data_set_and_names_the_nearest(tmp_path):
    package = write(tmp_path, descriptor(), TABLE.encode())
    message = refusal(lambda: package.read("oven"))
    for part in (str(tmp_path / "datapackage.json"), "'oven'", "did you mean 'ovens'?"):
        assert part in message


@pytest.mark.parametrize("folder", ["", "nowhere"])
def test_refuses_a_folder_without_a_descriptor(tmp_path, folder):
    message = refusal(lambda: DataPackage(tmp_path / folder))
    assert str(tmp_path / folder / "datapackage.json") in message
    assert "No such file" in message


def test_refuses_a_descriptor_cut_short(tmp_path):
    text = json.dumps(descriptor(), indent=2)
    (tmp_path / "datapackage.json").write_text(text[: len(text) // 2], encoding="utf-8")
    message = refusal(lambda: DataPackage(tmp_path))
    for part in (str(tmp_path / "datapackage.json"), "its text is cut short at line"):
        assert part in message
