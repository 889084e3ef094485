"""Claim files: what is read, and a hundred ways to get one wrong, each answered by one line with its place."""

from __future__ import annotations

import os

import pytest

from sim.engine.errors import InputError
from stacksim.claims.claim_file import read

WHOLE = '''
# what was said
[[claim]]
text = """around 450MB/s read
 on the SAN"""
source = "a blog"
date = 2007-01-25
throughput = { value = "450 MB/s", of = "peak" }
iops = 3000
latency = "200 us"
latency_of = "p99"
devices = 12
op = "read"
price = "0.08 USD/GB-month"
hardware = ["2 x fc-2"]
expect = "impossible"
reason = "none"

[[claim]]
text = "near-quadruple"
source = "a paper"
date = 2016
throughput = "1500 MB/s"
system = "dbfs"
settings = { nodes = 4, block = "128KiB" }
ratio = 3.9
of = "throughput"
[claim.than]
throughput = "405 MB/s"
settings = { nodes = 1 }
'''

HEAD = '[[claim]]\ntext = "said"\nsource = "somebody"\n'

ENTRIES = (
    # quantities
    *('throughput = "450"', "throughput = 450", 'throughput = ""', 'throughput = "fast"', "throughput = true"),
    *('throughput = "450 MB"', 'throughput = "450 furlongs/s"'),
    *('throughput = "-450 MB/s"', 'throughput = "0 MB/s"'),
    *('throughput = "nan MB/s"', 'throughput = "inf MB/s"'),
    *('throughput = "1e99 MB/s"', 'throughput = "2..1 GB/s"'),
    *('throughput = ">= 1..2 GB/s"', 'throughput = "1..2..3 GB/s"'),
    *('throughput = "4,50 MB/s"', "throughput = nan"),
    *("throughput = inf", "throughput = []", "throughput = {}", 'throughput = { value = "1 MB/s", off = "p99" }'),
    *('throughput = { of = "sum" }', 'throughput = { value = "1 MB/s", of = "p99" }', "throughput = 2007-01-01"),
    *('throughput = { value = "1 MB/s", of = 3 }', f'throughput = "{"9" * 99} MB/s"', 'throughput = "450 mb/s"'),
    *("iops = -3000", "iops = 0", 'iops = "3000 MB/s"', "iops = [3000]", 'iops = { value = 3000, of = "p99" }'),
    *('latency = "200"', "latency = 0.2", 'latency = "3 m/s"', 'latency = { value = "3 ms", of = "p98" }'),
    *('latency = "3 ms"\nlatency_of = "p98"', 'latency_of = "p99"', 'latency = "3 ms"\nlatency_of = 99'),
    *('latency = { value = "3 ms", of = "p99" }\nlatency_of = "p99"', 'elapsed = "12"', 'elapsed = "12 MB"'),
    *('bytes = "8 GB/s"', 'bytes = "eight"'),
    *('block = "8 Q"', "block = -8192", 'block = { value = "8k", of = "p99" }'),
    *('memory = "16"', 'array_memory = "16 MHz"', 'duration = "an hour"', "cores = 0", 'cores = "4 GHz"'),
    *('devices = "12 disks"', "devices = -12", "links = false", 'nodes = "many"', "clients = []"),
    *("requests_in_flight = 1e300", 'requests_in_flight = "32 ms"'),
    *('throughput_each = "1730"', 'iops_each = "1 s"'),
    # texts and words
    *('text = "again"', "date = 7", 'date = "January 2007"', 'date = "2007-13"', 'date = "2007-02-30"'),
    *("date = 2007-01-25T10:00:00", "date = []", 'op = "reads"'),
    *("op = 1", 'pattern = "seq"', 'access = "o_direct"'),
    *('data = "zero"', "price = 0.08", 'price = ""', 'expect = "true"', 'cause = "cached"', "reason = 1"),
    # names
    *('througput = "450 MB/s"', "Throughput = 1", '"" = 1', 'throughput.value = "450"', "[claim.that]"),
    # what it is about
    *('system = "dbf"', "system = 1", 'system = "dbfs"\nstack = "gp3"', 'stack = "no.toml"', 'stack = "gp4"'),
    *('system = "dbfs"\nsettings = { node = 4 }', 'system = "dbfs"\nsettings = { nodes = 0 }', "settings = 4"),
    *('system = "dbfs"\nsettings = { nodes = [4] }', "settings = { nodes = 4 }", 'measure = "hit ratio"'),
    *('hardware = "fc-2"', 'hardware = ["fc-3"]', 'hardware = ["0 x fc-2"]', "hardware = [2]", 'hardware = [""]'),
    # comparisons
    *('ratio = "3.9"', 'ratio = "3.9"\nof = "throughput"', 'of = "throughput"', 'change = "+95 %"'),
    *('ratio = "3.9"\n[claim.than]', 'ratio = 1\nchange = "1 %"\nof = "iops"\n[claim.than]', "[claim.than]"),
    *('ratio = 1\nof = "speed"\n[claim.than]', 'ratio = 0\nof = "iops"\n[claim.than]'),
    *('change = "95"\nof = "iops"\n[claim.than]', 'change = "-100 %"\nof = "iops"\n[claim.than]'),
    *('ratio = "3.9 MB/s"\nof = "iops"\n[claim.than]', 'ratio = 1\nof = "iops"\nthan = "iops"'),
    *('ratio = 1\nof = "iops"\n[claim.than]\niops = "-1"', 'ratio = 1\nof = "iops"\n[claim.than]\ntext = "x"'),
    *('ratio = 1\nof = "iops"\n[claim.than]\nhardware = ["fc-3"]', 'ratio = 1\nof = "iops"\n[claim.than]\nop = 1'),
    *('ratio = 1\nof = "iops"\n[claim.than]\nsystem = "dbf"', "ratio = 1\nof = 1\n[claim.than]\niops = 1"),
)  # fmt: skip
"""Errors behind a good beginning, each in another way."""

FILES = (
    *("", "# nothing\n", "claim = []", "claim = 1", "[claim]\ntext = 'x'\nsource = 'y'", "[[claims]]\ntext = 'x'"),
    *("[[claim]]", "[[claim]]\ntext = 'x'", "[[claim]]\nsource = 'x'", "[[claim]]\ntext = ' '\nsource = 'y'"),
    *("[[claim]]\ntext = 3\nsource = 'y'", f"[[claim]]\ntext = '{'x' * 3000}'\nsource = 'y'", f"{HEAD}[other]"),
    *("title = 'x'\n" + HEAD, "[[claim]\n", '[[claim]]\ntext = "x', f"{HEAD}text", f"{HEAD}\0", "{}", "claim: x"),
    *(f"{HEAD}a = {'[' * 5000}", f"{HEAD}iops = 0x", f"{HEAD}iops = 1_", "# " + "x" * (1 << 20)),
)
"""Whole files that are wrong."""

OUTSIDE = (b"\xff\xfe", b"\x89PNG\r\n", HEAD.encode("utf-16"))
"""Files that are no text in UTF-8."""

WRONG = (
    *((f"{HEAD}{entries}\n").encode() for entries in ENTRIES),
    *(text.encode() for text in FILES),
    *OUTSIDE,
)


def test_hundred_different_errors_are_covered():
    assert len(set(WRONG)) == len(WRONG) >= 100


@pytest.mark.parametrize("content", WRONG, ids=range(len(WRONG)))
def test_invalid_claim_file_gets_one_line(content, tmp_path, call, capsys):
    path, page = tmp_path / "claims.toml", tmp_path / "page.html"
    path.write_bytes(content)
    assert call("claim", path, "--html", page) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("stacksim: claim file '")
    assert err.count("\n") == 1
    assert len(err) < 700
    assert "Value error" not in err
    assert "internal" not in err
    assert not page.exists()


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ('iops = 3\nthroughput = "450"', 5),
        ("devices = 0", 4),
        ("nosuch = 1", 4),
        ('hardware = ["fc-3"]', 4),
        ('system = "dbf"', 4),
        ('system = "dbfs"\nsettings = { nodes = 0 }', 5),
        ('system = "dbfs"\n[claim.settings]\nnodes = []', 5),
        ('ratio = 1\nof = "iops"\n[claim.than]\niops = 3\nlatency = "3"', 8),
        ('ratio = 1\nof = "iops"\n[claim.than]\nhardware = ["fc-3"]', 7),
        ('ratio = 1\nof = "iops"\nthan = { iops = "-1" }', 6),
        ("ratio = 1", 1),
    ],
)
@pytest.mark.parametrize("before", ["", f'{HEAD}ratio = 1\nof = "iops"\n[claim.than]\niops = 3\n'])
def test_error_names_the_line(entries, line, before, tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(f"{before}{HEAD}{entries}\n", "utf-8")
    with pytest.raises(InputError, match=rf"claims.toml' line {line + before.count(chr(10))}: "):
        read(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="is no regular file; name a file"):
        read(tmp_path / "pipe.toml")


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path):
    for path in (tmp_path / "no.toml", tmp_path):
        with pytest.raises(InputError, match="cannot read claim file"):
            read(path)


def test_claims_are_read_with_source_date_and_numbers(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(WHOLE, "utf-8")
    first, second = read(path)
    assert (first.text, first.source, first.date) == ("around 450MB/s read on the SAN", "a blog", "2007-01-25")
    assert first.where.endswith("claims.toml' line 3")
    assert {name: number.of for name, number in first.numbers.items()} == {
        "throughput": "peak",
        "iops": "",
        "latency": "p99",
        "devices": "",
    }
    assert first.conditions == {"op": "read", "price": "0.08 USD/GB-month"}
    assert (first.subject.hardware, first.subject.modelled, first.comparison) == (("2 x fc-2",), None, None)
    assert (second.date, second.subject.modelled) == ("2016", "dbfs")
    assert second.subject.settings == {"nodes": 4, "block": "128KiB"}
    assert second.comparison
    assert (second.comparison.of, second.comparison.change) == ("throughput", False)
    assert second.comparison.numbers["throughput"].value == pytest.approx(405e6)
    assert second.comparison.subject.settings == {"nodes": 1}


def test_a_stack_is_beside_the_file_or_comes_along(tmp_path):
    (tmp_path / "ours.toml").write_text('title = "ours"\n[[layer]]\nkind = "ssd"\n', "utf-8")
    path = tmp_path / "claims.toml"
    path.write_text(f'{HEAD}stack = "ours.toml"\n{HEAD}stack = "gp3"\n', "utf-8")
    own, shipped = read(path)
    assert own.subject.stack == tmp_path / "ours.toml"
    assert (shipped.subject.stack, shipped.subject.modelled) == (None, "gp3")
