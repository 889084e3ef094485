"""`stacksim predict --explain` and `stacksim trace`: what they print, write and refuse."""

from __future__ import annotations

import json
import re

import pytest

QUICK = ("--precision", "20%")


def test_explanation_has_a_waterfall_limits_and_sensitivities(run):
    status, out, _ = run("predict", "dbfs", "block=8KiB", "users=8", "--explain", *QUICK)
    assert status == 0
    for text in (
        "one request of dd",
        "waiting for node 1 fuse queue",
        "limit         saturated: node 1 fuse queue, 99% in use, allows 799.9 MB/s",
        "behind it     node 1 serial work allows",
        "1% more of a parameter changes throughput by",
        "no effect here: ",
    ):
        assert text in out
    assert "cluster_chunk_read_s" in out.split("no effect here: ")[1]  # nobody reads


@pytest.mark.parametrize("columns", [80, 40])
def test_a_narrow_terminal_has_every_number_of_a_waterfall(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = run("predict", "dbfs", "block=8KiB", "users=8", "--explain", *QUICK)
    _, _, *steps = out.split("one request of dd")[1].split("\n\n")[0].splitlines()
    first = next(line for line in steps if "waiting for" in line)
    assert re.match(r" *\d+\.\d%  +[\d.]+ +[µm]s +[\d.]+  ", first)
    assert "…" not in "".join(steps)


def test_one_client_waits_for_its_own_work(run):
    _, out, _ = run("predict", "dbfs", "block=1KiB", "--explain", *QUICK)
    words = "latency-bound: each client waits for its own request; busiest resource: node 1 fuse queue, 26% in use"
    assert out.count(words) == 2  # of the prediction, and of its explanation


def test_json_has_the_explanation_beside_the_prediction(run):
    _, out, _ = run("predict", "dbfs", "block=8KiB", "--explain", "--json", *QUICK)
    record = json.loads(out)
    books = record["explanation"]["ledgers"]["dd"]
    assert sum(line["ns"] for line in books["lines"]) == books["latency_ns"]
    assert record["bottleneck"] == record["explanation"]["limits"][0]["place"]


def test_analytic_engine_cannot_explain(run):
    status, _, err = run("predict", "dbfs", "--explain", "--engine", "analytic")
    assert status == 2
    assert "choose engine auto" in err


def nested(events):
    """Read the slices of a timeline back, track by track: each closes before the one around it."""
    tracks = {}
    for event in events:
        if event["ph"] == "M":
            continue
        stack, last_us = tracks.setdefault((event["pid"], event["cat"], event["id"]), ([], [0.0]))
        assert event["ts"] >= last_us[0]
        last_us[0] = event["ts"]
        if event["ph"] == "b":
            stack.append(event["name"])
        else:
            assert event["ph"] == "e"
            assert stack.pop() == event["name"]
    assert all(not stack for stack, _ in tracks.values())
    return tracks


def test_a_timeline_is_read_back_track_by_track(run, tmp_path):
    timeline, picture = tmp_path / "t.json", tmp_path / "way.svg"
    status, out, _ = run(
        *("trace", "dbfs", "users=2", "block=256KiB", "--walks", 40, *QUICK),
        *("--output", timeline, "--picture", picture),
    )
    assert status == 0
    assert "https://ui.perfetto.dev" in out
    events = json.loads(timeline.read_text("utf-8"))["traceEvents"]
    tracks = nested(events)
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert names == {"dd", "streams"}
    requests = [event for event in events if event["ph"] == "b" and event["name"].startswith("node 1 dd")]
    assert len(requests) >= 40
    assert len(tracks) >= len(requests)
    assert any("branch" in event["name"] for event in events)
    assert picture.read_text("utf-8").startswith("<?xml")


def test_an_animation_is_one_page(run, tmp_path):
    page = tmp_path / "way.html"
    status, out, _ = run("trace", "dbfs", "users=2", "--requests", 30, "--animate", page, *QUICK)
    assert status == 0
    assert re.search(r"way\.html: (3\d|4\d) requests; open it in a browser", out)
    text = page.read_text("utf-8")
    film = json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    assert film["heading"]["users"] == "2"
    assert [row["name"] for row in film["rows"]][:1] == ["node 1 cpu"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "nothing to write; give --output FILE.json, --picture FILE.png, --animate FILE.html"),
        (("--output", "trace.csv"), "is not a .json file"),
        (("--picture", "way.gif"), "is not a .png or .svg file"),
        (("--animate", "way.htm"), "is not a .html file"),
        (("--output", "t.json", "--walks", "0"), "requests is '0'"),
    ],
)
def test_unwritable_output_is_refused_before_the_run(run, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = run("trace", "dbfs", *options)
    assert status == 2
    assert words in err
    assert not list(tmp_path.iterdir())
