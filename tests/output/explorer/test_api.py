"""Answers to the explorer's page."""

from __future__ import annotations

import json
import re
import shlex
from threading import Timer

import pytest

from sim.cli import main
from sim.engine.errors import InputError, TooLongError
from sim.engine.units.text import ends_text
from sim.prediction.published import published_figures
from sim.system import find
from sim.system.installed import installed
from sim.system.settings import complete
from stack_files import DISK
from stacksim.explorer import api as api_module
from stacksim.explorer import lines, runs
from stacksim.explorer.api import Api


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.toml"
    path.write_text(DISK, encoding="utf-8")
    return path


def asked(api, name, **question):
    question = {"page": "p", "move": 1, **question}
    return list(api.records(name, json.dumps(question).encode()))


def design(system, **settings):
    return {"system": str(system), "settings": settings, "parameters": {}}


def throughput(record):
    return record["answers"][0]["value"]


def test_only_installed_and_named_systems_are_served(disk, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(DISK, encoding="utf-8")
    api = Api(str(disk))
    assert "settings" in asked(api, "form", system=str(disk))[0]
    assert "settings" in asked(api, "form", system="san")[0]
    for name in (str(other), "own.py:SYSTEM", "nowhere"):
        assert asked(api, "form", system=name)[0]["error"].startswith("no system")


def test_a_system_that_cannot_be_used_is_refused_at_once(disk):
    disk.write_text("title = ", encoding="utf-8")
    with pytest.raises(InputError, match="is no TOML"):
        Api(str(disk))


def test_every_stop_of_every_control_is_a_value_that_is_allowed():
    api = Api()
    for name in asked(api, "systems")[0]["systems"]:
        system, form = find(name), asked(api, "form", system=name)[0]
        for each in form["settings"]:
            assert each["default"] in (*each["stops"], each["default"])
            for stop in each["stops"]:
                complete(system.settings, {each["name"]: stop})
        for each in form["parameters"]:
            assert len(each["stops"]) == len(set(each["stops"]))
            assert each["default"] in each["stops"]


def test_the_careful_answer_is_that_of_its_command(disk, monkeypatch, capsys):
    chosen = {"system": str(disk), "settings": {"users": "8", "op": "write"}, "parameters": {"commands": "3"}}
    *_, last = asked(Api(str(disk)), "answer", design=chosen, carefully=True)
    monkeypatch.setattr("sys.argv", [*shlex.split(last["command"]), "--json", "--quiet"])
    with pytest.raises(SystemExit):
        main()
    told = json.loads(capsys.readouterr().out)
    assert told["throughput"]["value"] == throughput(last)
    assert ends_text(told["band"]["low"], told["band"]["high"]) in last["answers"][0]["measured"]
    assert told["settings"]["op"] == "write"


def test_answers_improve_and_the_last_has_prediction_intervals(disk):
    records = asked(Api(str(disk)), "answer", design=design(disk), carefully=True)
    assert [record["how"] for record in records] == ["computed, approximately", *["simulated to ±3%"] * 2]
    assert [record["last"] for record in records] == [False, False, True]
    assert [bool(record["answers"][0]["measured"]) for record in records] == [False, False, True]
    assert len(asked(Api(str(disk)), "answer", design=design(disk))) == 1


def test_where_nothing_can_be_computed_it_is_simulated_roughly_and_why_is_reported():
    (record,) = asked(Api(), "answer", design=design("postgresql"))
    assert record["how"] == "simulated to ±10%"
    assert "which the analytic engine cannot solve" in record["refusal"]


def test_each_value_that_cannot_be_is_reported_by_its_name(disk):
    chosen = {"system": str(disk), "settings": {"users": "0", "block": "8kB"}, "parameters": {"access": "soon"}}
    (record,) = asked(Api(str(disk)), "answer", design=chosen)
    assert set(record["refused"]) == {"users", "block", "access"}
    assert record["refused"]["users"] == "users is '0'; allowed: a whole number from 1 to 1000"


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("answer", {}),
        ("answer", {"design": {"system": "san", "settings": {"streams": 1}}}),
        ("answer", {"design": {"system": "san", "settings": {"streams": "1" * 2000}}}),
        ("answer", {"design": {"system": "san", "settings": dict.fromkeys(map(str, range(300)), "1")}}),
        ("answer", {"design": {"system": "san"}, "move": "1"}),
        ("curve", {"designs": []}),
        ("curve", {"designs": [{"system": "san"}] * 3, "over": "streams", "answer": "throughput"}),
        ("curve", {"designs": [{"system": "san"}], "over": "users", "answer": "throughput"}),
        ("comparison", {"designs": [{"system": "san"}]}),
        ("curve", {"designs": [{"system": "san"}], "over": "streams", "answer": "speed"}),
        ("form", {}),
    ],
)
def test_a_question_that_is_none_is_reported_in_one_line(name, question):
    (record,) = asked(Api(), name, **question)
    assert record["error"].strip()
    assert "\n" not in record["error"]


def test_invalid_json_is_reported():
    for body in (b"", b"{", b"[]", b"\xff", b"[" * 100_000):
        assert "JSON" in next(Api().records("form", body))["error"]


def test_a_stack_file_that_changed_is_read_again(disk):
    api = Api(str(disk))
    stamp, before = asked(api, "stamp", system=str(disk))[0], asked(api, "answer", design=design(disk))[0]
    disk.write_text(DISK.replace('"4ms"', '"3ms"') + "\n", encoding="utf-8")
    assert asked(api, "stamp", system=str(disk))[0] != stamp
    assert throughput(asked(api, "answer", design=design(disk))[0]) > 1.2 * throughput(before)
    disk.unlink()
    assert "cannot read" in asked(api, "answer", design=design(disk))[0]["error"]


def test_layers_stand_in_their_order_and_the_place_that_limits_is_marked(disk):
    (record,) = asked(Api(str(disk)), "answer", design=design(disk, users="64"))
    assert [stage["name"] for stage in record["stages"]] == ["clients", "controller", "disk"]
    places = [place for stage in record["stages"] for place in stage["places"]]
    assert [place["name"] for place in places if place["limits"]] == ["arm"]
    (one,) = asked(Api(str(disk)), "answer", design=design(disk, users="1"), move=2)
    assert not any(
        place["limits"] for stage in one["stages"] for place in stage["places"] if place["name"] == "tags"
    )


def test_places_of_a_system_without_a_file_share_boxes_in_the_order_of_requests():
    (record,) = asked(Api(), "answer", design=design("dbfs"))
    boxes = {stage["name"]: [place["name"] for place in stage["places"]] for stage in record["stages"]}
    assert list(boxes) == ["dd", "node", "cluster", "cell"]
    assert boxes["node"].index("node 1 cpu") < boxes["node"].index("node 1 fuse queue")
    assert boxes["cluster"] == ["cluster request work", "cluster chunk work"]


@pytest.mark.parametrize("system", installed())
def test_stack_has_few_boxes_each_led_by_its_busiest_place(system):
    (record,) = asked(Api(), "answer", design=design(system))
    load, *boxes = record["stages"]
    assert load["load"]
    assert 1 <= len(boxes) <= 7
    for box in boxes:
        near = [place["near"] or 0.0 for place in box["places"]]
        assert not near or near[box["lead"]] == max(near) or box["places"][box["lead"]]["verdict"]


def test_shared_flush_in_use_all_the_time_is_not_near_its_limit():
    (record,) = asked(Api(), "answer", design=design("postgresql", clients="8"))
    (flush,) = (place for stage in record["stages"] for place in stage["places"] if place["name"] == "ssd flush")
    assert flush["share"] > 0.9
    assert flush["near"] < 0.6
    assert "needed" in flush["words"]


def test_two_designs_are_compared_by_pairs_of_runs(disk):
    api, both = Api(str(disk)), [design(disk), design(disk, users="32")]
    (record,) = asked(api, "comparison", designs=both)
    said = r"B against A, at 95%: throughput no difference seen, mean latency × [\d.]+ \([\d.]+ … [\d.]+\)\..*"
    assert re.fullmatch(said, record["verdict"])
    assert record["answers"]["mean"]["better"] == "A >99.9%"
    (same,) = asked(api, "comparison", designs=[both[0], both[0]], move=2)
    assert same["verdict"] == "A and B do not differ in any answer."
    assert same["answers"]["throughput"]["ratio"] == "the same"


def test_designs_in_two_units_are_not_compared(disk):
    (record,) = asked(Api(str(disk)), "comparison", designs=[design(disk), design("postgresql")])
    assert "the same unit" in record["error"]


def test_a_curve_has_published_figures_and_the_value_where_the_design_is():
    chosen = design("shared-file", file="8GiB", writers="3")
    (record,) = asked(Api(), "curve", designs=[chosen], over="writers", answer="throughput")
    chart = record["chart"]
    assert "3" in chart["x"]["named"].values()
    figures = {figure.value for (_, name), figure in published_figures(find("shared-file")).items()
               if name == "throughput"}  # fmt: skip
    assert chart["published"][0]["x"] == [1.0, 2.0]
    assert set(chart["published"][0]["y"]) <= figures


def test_a_parameter_that_was_set_has_no_published_figures():
    chosen = {**design("shared-file", file="8GiB"), "parameters": {"cores": "2"}}
    (record,) = asked(Api(), "curve", designs=[chosen], over="writers", answer="throughput")
    assert not record["chart"]["published"]


def test_points_are_simulated_one_after_the_other_with_prediction_intervals(disk):
    records = asked(Api(str(disk)), "curve", designs=[design(disk)], over="op", answer="mean", carefully=True)
    assert [record["how"] for record in records] == [
        "computed, approximately",
        "1 of 2 points simulated",
        "simulated",
    ]
    chart = records[-1]["chart"]
    assert chart["band"] == "prediction interval, at 90%"
    assert chart["x"]["kinds"]
    (curve,) = chart["curves"]
    assert all(low < y < high for low, y, high in zip(curve["low"], curve["y"], curve["high"], strict=True))
    assert records[-1]["last"]


def test_two_designs_have_a_curve_each_and_one_that_cannot_is_left_out(disk):
    api = Api(str(disk))
    both = {"over": "users", "answer": "throughput"}
    (record,) = asked(api, "curve", designs=[design(disk), design(disk, block="1MiB")], **both)
    assert [curve["label"] for curve in record["chart"]["curves"]] == ["A", "B"]
    (record,) = asked(api, "curve", designs=[design(disk), design("san")], move=2, **both)
    assert [curve["label"] for curve in record["chart"]["curves"]] == ["A"]
    assert "no setting or parameter 'users'" in record["left_out"]


def test_a_point_that_fails_is_a_gap_with_its_reason(disk):
    text = DISK.replace("users = { default = 4", "tokens = 2\nusers = { default = 4").replace(
        ' "commands"', ' "tokens"'
    )
    disk.write_text(text.replace("tokens = 2", "tokens = { default = 2, range = [0, 4] }"), encoding="utf-8")
    (record,) = asked(Api(str(disk)), "curve", designs=[design(disk)], over="tokens", answer="throughput")
    assert [gap["at"] for gap in record["gaps"]] == ["0"]
    assert "tokens" in record["gaps"][0]["why"]
    assert record["chart"]["curves"][0]["y"][0] is None


def test_requests_before_the_last_move_are_given_up(disk):
    api = Api(str(disk))
    question = {"design": design(disk), "page": "p", "move": 1, "carefully": True}
    earlier = api.records("answer", json.dumps(question).encode())
    assert next(earlier)["how"] == "computed, approximately"
    assert asked(api, "answer", design=design(disk), move=2)[0]["last"]
    assert list(earlier) == [{"superseded": True}]
    assert asked(api, "answer", design=design(disk), move=1, page="another")[0]["last"]


def test_running_requests_are_given_up_when_the_explorer_ends(disk):
    api = Api(str(disk))
    Timer(0.05, api.close).start()
    records = []
    for move in range(200):
        records += asked(api, "answer", design=design(disk), move=move, carefully=True)
        if records[-1] == {"superseded": True}:
            break
    assert records[-1] == {"superseded": True}


def test_an_answer_that_takes_too_long_is_given_up(disk, monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_S", -1.0)
    *_, last = asked(Api(str(disk)), "answer", design=design(disk), carefully=True)
    assert last["error"].startswith("no answer within")


def test_points_that_take_too_long_stay_as_they_were_computed(disk, monkeypatch):
    records = Api(str(disk)).records(
        "curve",
        json.dumps(
            {"page": "p", "move": 1, "designs": [design(disk)], "over": "op", "answer": "mean", "carefully": True}
        ).encode(),
    )
    computed = next(records)["chart"]["curves"][0]["y"]
    real = lines.prediction_intervals
    calls = []

    def second_too_long(*args):
        calls.append(args)
        if len(calls) > 1:
            raise TooLongError("no answer within 120 s; take smaller values, or ask the command")
        return real(*args)

    monkeypatch.setattr(lines, "prediction_intervals", second_too_long)
    *_, last = records
    assert last["how"] == "1 of 2 points simulated"
    assert last["chart"]["curves"][0]["y"][1] == computed[1]
    assert [gap["at"] for gap in last["gaps"]] == ["write"]


def test_an_internal_error_is_a_record(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("float division by zero")

    monkeypatch.setattr(api_module, "form_of", broken)
    (record,) = asked(Api(), "form", system="san")
    assert record["error"].startswith("internal error, please report it: ZeroDivisionError in ")


def test_a_fit_is_used_shown_in_the_command_and_checked_before_the_page_opens(tmp_path):
    content = json.loads((find("dbfs").data_package / "fitted/dbfs.json").read_text("utf-8"))
    for name in ("value", "low", "high"):
        content["parameters"]["dispatch_s"][name] *= 1.3
    fit = tmp_path / "fit.json"
    fit.write_text(json.dumps(content), "utf-8")
    slower, own = (
        asked(api, "answer", design=design("dbfs", users="8", block="1KiB"))[-1]
        for api in (Api("dbfs", fit), Api("dbfs"))
    )
    assert throughput(slower) < 0.95 * throughput(own)
    assert f"--fitted {fit}" in slower["command"]
    assert "--fitted" not in asked(Api("dbfs", fit), "answer", design=design("postgresql"))[-1]["command"]
    fit.write_text("{", "utf-8")
    with pytest.raises(InputError, match=r"fit\.json"):
        Api("dbfs", fit)


CREDITS = {"iops": "16000", "block": "4KiB", "credits": "full"}


def test_first_hour_is_shown_where_a_level_makes_it_unlike_the_long_run():
    *_, last = asked(Api(), "answer", design=design("gp3", **CREDITS), carefully=True)
    remarks = {each["about"]: each["text"] for each in last["hour"]["remarks"]}
    assert remarks["burst"].startswith("65.5 MB/s for 36.")
    assert remarks["sustained"].startswith("14.")
    rates, lasting = last["hour"]["chart"]["curves"]
    assert len(rates["x"]) == 60
    assert rates["y"][0] > 4 * rates["y"][-1] == pytest.approx(4 * lasting["y"][0], rel=0.01)


def test_a_stack_without_a_level_shows_no_hour(disk):
    *_, last = asked(Api(str(disk)), "answer", design=design(disk), carefully=True)
    assert last["hour"] is None
