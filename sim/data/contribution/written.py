"""A contribution as the files of a data package, for other tools as well."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from sim.data.contribution.meta import Meta
from sim.data.dataset import Dataset, Measurement, Selection
from sim.data.package import DESCRIPTOR
from sim.system.shipped import shipped

SCHEMA = "measurement.schema.json"

COLUMNS = ("source", "table", "row", "column", "measure", "value", "unit", "half_width", "conditions", "quality")


def package_files(meta: Meta, dataset: Dataset) -> dict[str, bytes]:
    """Contents of the data package of ``dataset``, by file name: table, schema and descriptor."""
    return {
        f"{meta.name}.csv": _table(dataset).encode(),
        SCHEMA: shipped(SCHEMA).read_bytes(),
        DESCRIPTOR: f"{json.dumps(_descriptor(meta, dataset), indent=1, ensure_ascii=False)}\n".encode(),
    }


def _table(dataset: Dataset) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *map(_row, dataset.measurements)])
    return file.getvalue()


def _row(figure: Measurement) -> list[str]:
    values = {name: getattr(figure, name) for name in COLUMNS}
    values["conditions"] = " ".join(f"{name}={text}" for name, text in figure.conditions) or "-"
    return [f"{value:.9g}" if isinstance(value, float) else value for value in values.values()]


def _descriptor(meta: Meta, dataset: Dataset) -> dict[str, Any]:
    return {
        "profile": "tabular-data-package",
        "name": meta.name,
        "title": meta.title,
        "licenses": [{"name": meta.licence}],
        "contributors": [{"title": meta.by}],
        "resources": [_resource(meta, dataset)],
    }


def _resource(meta: Meta, dataset: Dataset) -> dict[str, Any]:
    roles = {name: _selections(getattr(dataset, name)) for name in ("restated", "for_fit", "never_fitted")}
    return {
        "profile": "tabular-data-resource",
        "name": meta.name,
        "path": f"{meta.name}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "title": meta.title,
        **({"description": meta.description} if meta.description else {}),
        "system": meta.system,
        "sources": [{"title": title} for title in dataset.sources],
        "schema": SCHEMA,
        "scatter": meta.scatter,
        **{name: selections for name, selections in roles.items() if selections},
    }


def _selections(selections: tuple[Selection, ...]) -> list[dict[str, Any]]:
    return [each.model_dump(mode="json") for each in selections]
