"""Tables of our own measurements: the median of all rounds, in two files each, one to fit and one to predict.

python -m benchmarks.own_tables MACHINE

Of ``contended.csv`` (`benchmarks.own_contended`) a part has a table for each phase in which it was measured.

Which results are fitted was decided before they were made: calibration-data/own/README.md.
"""

from __future__ import annotations

import csv
import json
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from benchmarks.own_rounds import RESULTS, UNPACKED, unpack
from sim.engine.files import write_atomically

FITTED = {
    "fuse": {"write-1k-1", "write-4k-8", "write-128k-1", "read-1k-1", "read-4k-8", "read-128k-1"},
    "pinned": {"write-1k-together"},
}

WAKE = {"together": "1.09us", "apart": "18.4us"}
"""A wake-up on one core, and on two: host.json."""

STANDARD_ERROR = 1.2533 * 1.4826
"""Of a median, for a median absolute deviation of 1 and one value, where values are normally distributed."""

Row = dict[str, object]


def main(folder: Path, rounds: Path) -> None:
    """Write the tables of one machine from its ``rounds``, and print what one file for all gives over one each."""
    for part in sorted(
        {file.name for file in rounds.glob("round-*/*")} & {"fuse", "pinned", "file", "buffered", "commits"}
    ):
        for name, rows in _tables(rounds, part).items():
            write_atomically(folder / name, _text(rows).encode())
            sys.stdout.write(f"{name}: {len(rows)}\n")
    for part in ("file", "buffered") if (rounds / "round-1").exists() else ():
        for line in _shared_over_each(_measured(rounds, part)):
            sys.stdout.write(f"{part:10}{line}\n")
    for name, rows in _contended(folder / "contended.csv").items():
        write_atomically(folder / name, _text(rows).encode())
        sys.stdout.write(f"{name}: {len(rows)}\n")
    for name, errors in foretold(folder):
        sizes = sorted(map(abs, errors))
        sys.stdout.write(f"{name:22}{len(sizes):3}{statistics.median(sizes):8.1%}{sizes[-1]:8.1%}\n")


def foretold(folder: Path) -> Iterator[tuple[str, list[float]]]:
    """The errors of what was predicted before it was measured, by table."""
    for before in sorted((folder / "before").glob("*.csv")):
        if (table := folder / before.name).exists():
            measured = {_settings(row): float(row["value"]) for row in _rows(table)}
            rows = _rows(before)
            yield before.stem, [float(row["predicted"]) / measured[_settings(row)] - 1.0 for row in rows]


def _rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(file.read_text())))


def _settings(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(value for name, value in row.items() if name not in ("predicted", "value", "unit", "half_width"))


def _contended(file: Path) -> dict[str, list[Row]]:
    """The medians of cells by part and phase: the rate of each, by its settings."""
    rates: dict[tuple[str, tuple[tuple[str, object], ...]], list[float]] = defaultdict(list)
    for run in _rows(file) if file.exists() else ():
        settings: Row = {"jobs": run["jobs"], "block": f"{run['block']}KiB"}
        part = run["part"]
        if run["sync"] != "none":
            part = "synced"
            settings |= {"sync": "data" if run["sync"] == "fdatasync" else "all", "files": run["files"]}
            settings["extents"] = "written" if run["part"] == "overwrite" else "unwritten"
        rates[f"{part}-{run['phase']}.csv", tuple(settings.items())].append(float(run["rate"]))
    tables: dict[str, list[Row]] = defaultdict(list)
    for (name, settings_of), values in rates.items():
        tables[name].append({**dict(settings_of), **_median(values, "1/s")})
    return tables


def _shared_over_each(measured: dict[str, list[float]]) -> Iterator[str]:
    medians = {name: statistics.median(rates) for name, rates in measured.items()}
    for size in sorted({name.split("-")[1] for name in medians}, key=_bytes):
        ratios = (medians[f"shared-{size}-{users}"] / medians[f"each-{size}-{users}"] for users in (1, 2, 4))
        yield f"{size:>4}" + "".join(f"{ratio:6.2f}" for ratio in ratios)


def _tables(rounds: Path, part: str) -> dict[str, list[Row]]:
    """The results of one part, by the name of the table in which they belong."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for name, values in sorted(_measured(rounds, part).items(), key=lambda each: _order(each[0])):
        op = f"-{name.partition('-')[0]}" if part == "fuse" else ""
        tables[f"{part}-fitted.csv" if _fitted(part, name) else f"{part}-predicted{op}.csv"].append(
            _row(part, name, values)
        )
    return tables


def _measured(rounds: Path, part: str) -> dict[str, list[float]]:
    """Requests a second of every result of all rounds, by its name."""
    found: dict[str, list[float]] = defaultdict(list)
    for file in sorted(rounds.glob(f"round-*/{part}/*")):
        if file.stem != "flush":
            found[file.stem].append(_commits(file) if part == "commits" else _requests(file))
    return found


def _requests(file: Path) -> float:
    (job,) = json.loads(file.read_text())["jobs"]
    return float(job["read"]["iops"] + job["write"]["iops"])


def _commits(file: Path) -> float:
    tps = re.search(r"tps = ([\d.]+)", file.read_text())
    if not tps:
        raise SystemExit(f"{file} has no tps; measure it again")
    return float(tps[1])


def _fitted(part: str, name: str) -> bool:
    if part in FITTED:
        return name in FITTED[part]
    return name.endswith("-1")


def _row(part: str, name: str, rates: list[float]) -> Row:
    first, *_, users = name.split("-")
    if part == "commits":
        settings: Row = {"clients": users}
        amount, unit = 1.0, "1/s"
    else:
        where = {"users": 1, "wake": WAKE[users]} if part == "pinned" else {"users": users}
        block = _bytes(name.split("-")[1])
        which = {"op": first} if part in FITTED else {"files": first}
        settings = {**where, "block": f"{block // 1024}KiB", **which}
        amount, unit = block / 1e6, "MB/s"
    values = [amount * rate for rate in rates]
    return {**settings, **_median(values, unit)}


def _median(values: list[float], unit: str) -> Row:
    """The median. Its half-width is that of a uniform distribution that varies as much as the median does."""
    value = statistics.median(values)
    deviation = statistics.median(abs(each - value) for each in values)
    half_width = STANDARD_ERROR * 3**0.5 * deviation / len(values) ** 0.5
    return {"value": f"{value:.5g}", "unit": unit, "half_width": f"{half_width:.2g}"}


def _order(name: str) -> tuple[str, int, int, str]:
    first, *size, users = name.split("-")
    number, where = (int(users), "") if users.isdigit() else (1, users)
    return (first, _bytes(size[0]) if size else 0, number, where)


def _bytes(written: str) -> int:
    return int(written.removesuffix("k")) * 1024


def _text(rows: list[Row]) -> str:
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    unpack(UNPACKED)
    main(RESULTS / sys.argv[1], UNPACKED / sys.argv[1])
