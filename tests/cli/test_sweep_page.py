"""A sweep as a page: every point is in it, what failed with its reason, and nothing comes from elsewhere."""

from __future__ import annotations

import json
import re

import pytest

from stack_files import DISK


@pytest.fixture
def page(tmp_path, monkeypatch, run):
    """Sweeps a small stack file into a page; returns its text and what it shows."""
    text = DISK.replace("[settings]", "[settings]\ntokens = { default = 2, range = [0, 4] }")
    (tmp_path / "disk.toml").write_text(text.replace(' "commands"', ' "tokens"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def swept(*words):
        status, _, error = run("sweep", "disk.toml", *words, "--html", "new.html", "--engine", "analytic", "-q")
        assert (status, error) == (0, "")
        page = (tmp_path / "new.html").read_text(encoding="utf-8")
        return page, json.loads(re.search(r'id="grid">(.*?)</script>', page)[1])

    return swept


def test_all_points_are_there_and_the_command_that_made_them(page):
    text, grid = page("users=1,4,16", "op=read,write", "block=4KiB,1MiB")
    assert grid["over"] == "users"
    assert [slider["name"] for slider in grid["sliders"]] == ["op", "block"]
    assert [slider["numeric"] for slider in grid["sliders"]] == [False, True]
    curves = grid["charts"]["throughput"]["curves"]
    assert len(curves) == len(grid["curves"]) == len(grid["limits"]) == 4
    assert grid["curves"][1] == {"op": "read", "block": "1MiB"}
    assert curves[1]["y"][0] > 5 * curves[0]["y"][0]
    assert {each["name"] for each in grid["answers"]} == {"throughput", "mean"}
    assert "stacksim sweep disk.toml users=1,4,16 op=read,write block=4KiB,1MiB --html new.html" in text


def test_page_requests_nothing_from_the_network(page):
    text, _ = page("users=1,4")
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_point_that_failed_is_a_gap_with_its_reason(page):
    _, grid = page("tokens=0,1,2", "users=8")
    assert grid["over"] == "tokens"
    (curve,) = grid["charts"]["throughput"]["curves"]
    assert curve["x"] == [0, 1, 2]
    assert curve["y"][0] is None
    assert curve["low"][0] is None
    assert grid["gaps"][0]["at"] == "0"
    assert grid["gaps"][0]["why"].startswith("refused: ")


def test_another_setting_lies_along_the_x_axis_if_it_is_named(page):
    _, grid = page("users=1,4,16", "op=read,write", "--over", "op")
    assert grid["charts"]["throughput"]["x"]["kinds"]
    assert grid["limits"][0]["read"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("users=4", "--html", "new.html"), "nothing to draw with users alone"),
        (("users=1,4", "--html", "new.txt"), "page 'new.txt' is not a .html file"),
        (("users=1..1000", "block=1KiB..16MiB", "op=read,write", "--html", "new.html"), "too large to mail"),
        (("users=1,4", "--html", "-", "--csv", "-"), "more than one thing is to go to standard output"),
    ],
)
def test_sweeps_that_a_page_cannot_show_are_refused_before_any_run(run, tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk.toml").write_text(DISK, encoding="utf-8")
    status, _, told = run("sweep", "disk.toml", *words)
    assert status == 2
    assert error in told
    assert not (tmp_path / "new.html").exists()
