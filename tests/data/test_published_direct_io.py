"""The figures of direct-copy and direct-write-lock are those of the source, with its conditions."""

from __future__ import annotations

import re

import pytest

from models.systems.file_copy.system import CP8M_BYTES, FILE_COPY
from models.systems.shared_file import SHARED_FILE
from sim.data.package import DataPackage
from sim.system.settings import complete

CP = r"# time /bin/cp fin01.dbf fin01.dbf.bu\s+"
CP8M = r"# time /bin/cp8M fin01.dbf fin01.dbf.bu2\s+"
SOLARIS_CP = r"# time /usr/bin/cp large_file large_file.1\s+"
SOLARIS_CP8M = r"# time /usr/bin/cp8m large_file large_file.\s+"
REAL, USER, SYS = (
    rf"(?:\S+ \S+\s+){{{skipped}}}{what} (\d+)m(\S+)s" for skipped, what in enumerate(("real", "user", "sys"))
)
TIMES = {"real": REAL, "user": USER, "sys": SYS}

SAID = {
    "/bin/cp8M/speedup over cp(1)": r"Using cp8M offers a (\d+)% speedup over cp\(1\)",
    "/bin/cp8M/MB/sec": r"by moving (\d+)MB/sec on the direct I/O mounted filesystem",
    "dd | gzip/speedup": r"There was only a (\d+)% speedup when I slammed 8MB chucks into gzip on the pipeline",
    "dd | gzip | dd/speedup": r"there is (\d+)% speedup to be had going from canned gzip to using dd",
    "dd | gzip | dd/another": r"using dd as the reader and writer does pick up another (\d+)%",
    "/usr/bin/cp, forcedirectio/sys": r"14\.363s versus (10\.853)s of kernel-mode cycles",
    "/usr/bin/cp/kernel mode cycles over forcedirectio": r"an increase of (\d+)% in kernel mode cycles",
    "/usr/bin/cp8m/MB/s that cp(1) has less": r"\(in MB/s\) was consistently (\d+)% less than cp8M",
    "1 dd(1)/seconds": r"writes 2097152 4KB blocks in (\d+) seconds for an I/O rate of 7,410",
    "1 dd(1)/writes per second": r"4KB blocks in 283 seconds for an I/O rate of (\S+) writes per second",
    "2 dd(1)/writes per second": r"the concurrent write test achieved (\S+) writes per second",
    "2 dd(1)/scale-up": r"12,633 represents only (\d+)% scale-up",
}
"""Where the running text has each figure."""

IN_WORDS = {
    "8MB map/lifetime on a slow disk": (2.5, "only valid during the read in, and write out—about 2-3 seconds"),
    "cp and compress/times as long on forcedirectio": (2, "the database backup would be about twice as long"),
    "2 dd(1), write-ordering locks/seconds": (
        283,
        "the second go around of with two dd(1) processes would take the same amount of time to complete",
    ),
}
"""Figures that the text gives in words."""


@pytest.fixture(scope="module")
def figures(calibration_data):
    package = DataPackage(calibration_data)
    return [each for name in ("direct-copy", "direct-write-lock") for each in package.read(name).measurements]


def number(found):
    """Minutes and seconds, or a number with thousands marked."""
    *minutes, rest = found.groups()
    return 60 * float(minutes[0] if minutes else 0) + float(rest.replace(",", ""))


def published(text):
    """Value by row/column."""
    commands = {"/bin/cp": CP, "/bin/cp8M": CP8M, "/usr/bin/cp": SOLARIS_CP, "/usr/bin/cp8m": SOLARIS_CP8M}
    timed = {
        f"{row}/{column}": number(re.search(command + pattern, text))
        for row, command in commands.items()
        for column, pattern in TIMES.items()
    }
    said = {cell: number(re.search(pattern, text)) for cell, pattern in SAID.items()}
    in_words = {cell: value for cell, (value, words) in IN_WORDS.items() if words in text}
    return timed | said | in_words


def test_the_tables_hold_the_figures_of_the_source(figures, source_text):
    found = {f"{each.row}/{each.column}": each.value for each in figures}
    assert found == pytest.approx(published(source_text("S2")), abs=1e-9)
    assert len(found) == len(figures) == 27


def test_every_figure_stands_under_its_heading(figures, source_text):
    text = source_text("S2").replace("\xa0", " ")
    headings = {each.table for each in figures}
    assert len(headings) == 5
    for heading in headings:
        assert heading in text


def test_half_widths_are_half_the_last_digit_that_is_printed(figures):
    for each in figures:
        timed = each.column in ("real", "user", "sys")
        assert each.half_width == (0.0005 if timed else 0.5)


def test_sizes_are_those_of_the_source(source_text):
    text = source_text("S2")
    defaults = complete(FILE_COPY.settings, {})
    assert f"root {defaults['file']} Jul 14" in text
    assert f"buf_size = {CP8M_BYTES} ;" in text
    assert "cat, md5sum, split, uniq, cp: 4KB" in text
    assert "tar: 10KB default" in text
    assert "gzip: 32KB in/16KB out" in text
    assert "reading the infile with 8MB reads" in text
    kib = {
        name: defaults[name] / 1024 for name in ("cp_block", "tar_block", "gzip_read", "gzip_write", "dd_block")
    }
    assert kib == {"cp_block": 4, "tar_block": 10, "gzip_read": 32, "gzip_write": 16, "dd_block": 8192}
    assert "when copying a 1000MB file using stock cp(1)" in text


def test_conditions_are_those_of_the_source(figures):
    for each in figures:
        conditions = dict(each.conditions)
        if each.measure == "none":
            assert not conditions
        elif each.dataset == "direct-copy":
            solaris = each.row.startswith("/usr")
            assert conditions["filesystem"] == ("ufs" if solaris else "psfs")
            assert conditions["file"] == ("1000MiB" if solaris else "1GiB")
            buffered = solaris and "forcedirectio" not in each.row
            assert conditions["mount"] == ("buffered" if buffered else "direct")
        else:
            asked = complete(SHARED_FILE.settings, conditions)
            assert asked["file"] // asked["block"] == 2_097_152
            assert asked["writers"] == int(each.row[0])
