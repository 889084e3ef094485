"""The figures of exadata-v1, cached-read and fc-fabric are those of the sources."""

from __future__ import annotations

import re

import pytest

from models.systems.exadata_ctas import EXADATA_CTAS
from models.systems.exadata_ctas.settings import TABLE_BYTES
from sim.data.package import DataPackage

EVENT = re.compile(
    r"^(?P<event>[A-Za-z ]+?) {2,}(?:(?P<waits>[\d,]+) +)?(?P<time>[\d,]+)"
    r"(?: +(?P<average>\d+))? +(?P<share>[\d.]+)",
    re.MULTILINE,
)
SEGMENT = re.compile(r" (SEED|EX_SEED|ALL_CARD_TRANS|WRH\$_ACTIVE_SESSION_) .*TABLE +([\d,]+) +([\d.]+)")
TOTAL = re.compile(r"Total (?:Direct )?Physical (?:Reads|Writes): +([\d,]+)\s.*account for +([\d.]+)%")
MIN_LOADED = 50
"""Per cent idle of vmstat below which the job runs."""


def number(text):
    return float(text.replace(",", ""))


def values(calibration_data, name):
    return {
        (figure.row, figure.column): figure.value
        for figure in DataPackage(calibration_data).read(name).measurements
    }


@pytest.fixture
def article(source_text):
    """The two halves of the article on Exadata, in plain spaces: the cached Ext3 file, and the cells."""
    text = source_text("S4").replace("\xa0", " ")
    return dict(zip(("Ext3", "Exadata"), text.split("Read from Disk, Write to Disk"), strict=True))


def timed_events(column, text):
    for each in EVENT.finditer(text[text.index("Top 5 Timed") : text.index("Segments by")]):
        for name in ("waits", "time", "average", "share"):
            if each[name]:
                yield (each["event"], f"{column} {name}"), number(each[name])


def segments(column, text):
    for report in text.split("Segments by ")[1:]:
        row = report[: report.index(" ", report.index("Physical") + 9)].strip()
        total, captured = TOTAL.search(report).groups()
        yield (row, f"{column} total"), number(total)
        yield (row, f"{column} captured"), number(captured)
        for name, blocks, share in SEGMENT.findall(report):
            yield (row, f"{column} {name}"), number(blocks)
            if number(share):
                yield (row, f"{column} {name} share"), number(share)


def loaded_lines(text):
    rows = [
        list(map(int, words)) for line in text.splitlines() if len(words := line.split()) == 17 and digits(words)
    ]
    return [row for row in rows[1:] if row[14] < MIN_LOADED]


def digits(words):
    return all(word.isdigit() for word in words)


def test_every_line_of_the_database_reports_is_quoted(article, calibration_data):
    found = values(calibration_data, "exadata-v1")
    for column, text in article.items():
        reported = {**dict(timed_events(column, text)), **dict(segments(column, text))}
        assert len(reported) == {"Ext3": 18 + 9, "Exadata": 18 + 8}[column]
        for cell, value in reported.items():
            assert found.pop(cell) == value, cell
    assert not [cell for cell in found if cell[0] in {"direct path write", "DB CPU", "Direct Physical Reads"}]


def test_processor_time_is_the_mean_of_the_loaded_lines(article, calibration_data):
    found = values(calibration_data, "exadata-v1")
    for column, text in article.items():
        lines = loaded_lines(text)
        assert len(lines) >= 16
        for mode, place in (("user", 12), ("system", 13)):
            mean = sum(line[place] for line in lines) / len(lines)
            assert found["vmstat", f"{column} {mode}"] == round(mean, 1)


PROSE = {
    ("completion time", "Ext3"): r"completion time was (\d+) seconds for a write throughput",
    ("completion time", "Exadata"): r"a job completion time of (\d+) seconds",
    ("write throughput", "Ext3"): r"write throughput of ([\d.]+)GB/s",
    ("the job", "cached table"): r"The cached table was ([\d.]+)GB",
    ("the job", "executions"): r"consisted of (\d+) executions",
    ("the job", "table read"): r"the test read (\d+)GB from memory",
    ("the job", "payload written"): r"wrote +(\d+)GB to Exadata storage",
    ("the job", "Exadata Storage Servers"): r"but all (\d+) Exadata Storage Servers",
    ("processor utilization", "Ext3 user peaks"): r"peaks in user mode were on the order of (\d+)%",
    ("processor utilization", "Ext3 kernel peaks"): r"kernel mode roughly (\d+)%",
    ("comparison", "increase of physical I/O"): r"increased physical disk I/O by (\d+)%",
    ("comparison", "slower"): r"It was, in fact, (\d+)% slower",
    ("comparison", "less user-mode"): r"roughly (\d+)% less user-mode",
    ("comparison", "less kernel-mode"): r"a clean (\d+)% reduction in kernel-mode",
    ("comparison", "more user-mode for cached Ext3"): r"the ~(\d+)% more user-mode cycles",
    ("comparison", "RAM faster than disk"): r"\((\d) orders of magnitude faster than disk",
    ("card", "maximum"): r"theoretical throughput of (\d+)MB/s in full-duplex",
    ("card", "realistic"): r"more realistic, conservative ([\d.]+)GB/s",
    ("storage grid", "bandwidth"): r"storage grid bandwidth of (\d+)GB/s",
    ("storage grid", "hosts"): r"protracted to (\d+) nodes",
    ("storage grid", "needed by 8 hosts"): r"RAC nodes == ([\d.]+)GB/s",
}


@pytest.mark.parametrize("cell", PROSE, ids="/".join)
def test_figures_of_the_prose_on_exadata_are_quoted(cell, article, calibration_data):
    text = "".join(article.values())
    assert values(calibration_data, "exadata-v1")[cell] == number(re.search(PROSE[cell], text)[1])


def test_traffic_of_the_card_agrees_between_two_figures(article, calibration_data):
    found, text = values(calibration_data, "exadata-v1"), article["Exadata"]
    throughput = number(re.search(r"read\+write throughput of (\d+)MB/s", text)[1])
    assert found["read+write throughput", "Exadata"] == throughput / 1000
    assert found["read+write throughput", "Exadata"] == pytest.approx(3 * 185 / 320, abs=0.005)
    short = number(re.search(r"to within (\d+)% of its maximum", text)[1])
    assert found["read+write throughput", "Exadata share of the card"] == 100 - short


def test_gb_of_the_author_is_2_to_the_30_bytes(calibration_data):
    found = values(calibration_data, "exadata-v1")
    assert found["Direct Physical Reads", "Ext3 SEED"] * 16384 / 2**30 == pytest.approx(185, abs=0.5)
    assert round(TABLE_BYTES / 2**30, 1) == found["the job", "cached table"]
    assert {each.name: each.default for each in EXADATA_CTAS.settings}["table"] == TABLE_BYTES


def test_table_has_no_other_rows(article, calibration_data):
    known = {cell for column, text in article.items() for cell, _ in timed_events(column, text)}
    known |= {cell for column, text in article.items() for cell, _ in segments(column, text)} | set(PROSE)
    others = {row for row, column in values(calibration_data, "exadata-v1").keys() - known}
    assert others == {"read+write throughput", "vmstat"}


S2_PROSE = {
    ("cached-read", "dd", "1 stream"): (r"using 1M read requests. The throughput is (\d+)MB/s", 1),
    ("cached-read", "dd", "2 streams"): (r"In the concurrent case, the throughput was ([\d.]+)GB/s", 1000),
    ("cached-read", "dd", "6 streams"): (r"out of six different files. Here I measured ([\d.]+)GB/s", 1000),
    ("fc-fabric", "2 x 2Gb FCP paths", "deliver"): (r"2 x 2Gb FCP paths can deliver—roughly (\d+)MB/s", 1),
    ("fc-fabric", "UFS", "read"): (r"around (\d+)MB/s read on the SAN using a single drive LUN", 1),
    ("fc-fabric", "UFS", "write"): (r"I was seeing (\d+)MB/s write performance", 1),
    ("fc-fabric", "memory", "512MB"): (r"reading 512MB from memory .* should take about (\.\d+) seconds", 1),
    ("fc-fabric", "ZFS", "read and write"): (r"crazy rate of around (\d+)GB/s read AND write", 1),
    ("fc-fabric", "ZFS", "peak"): (r"peaking at close to (\d+)GB/s", 1),
    ("fc-fabric", "ZFS", "least times the fabric"): (r"round (\d) to \d times the capacity", 1),
    ("fc-fabric", "ZFS", "most times the fabric"): (r"round \d to (\d) times the capacity", 1),
    ("fc-fabric", "dataset", "fold larger than memory"): (r"dataset that is about (\d) fold larger", 1),
    ("fc-fabric", "dataset", "test runs longer than"): (r"something that runs longer than (\d) second", 1),
}


@pytest.mark.parametrize("cell", S2_PROSE, ids="/".join)
def test_figures_of_the_prose_on_caches_and_fabrics_are_quoted(cell, source_text, calibration_data):
    pattern, factor = S2_PROSE[cell]
    published = number(re.search(pattern, source_text("S2"))[1]) * factor
    assert values(calibration_data, cell[0])[cell[1:]] == pytest.approx(published)


def test_the_tables_on_caches_and_fabrics_have_no_other_rows(calibration_data):
    names = {name for name, _, _ in S2_PROSE}
    found = {(name, *cell) for name in names for cell in values(calibration_data, name)}
    assert found == set(S2_PROSE)
