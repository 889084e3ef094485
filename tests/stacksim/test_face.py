"""``import stacksim``: its functions say what they take, and absent guests are one line."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import stacksim
from sim.system.installed import systems

FUNCTIONS = [name for name in stacksim.__all__ if name.islower() and name not in ("claim", "measure")]
SECTIONS = ("Args:", "Returns:", "Raises:")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_documents_arguments_result_and_errors(name):
    function = getattr(stacksim, name)
    assert [section for section in SECTIONS if section not in function.__doc__] == []
    signature = inspect.signature(function)
    assert all(each.annotation is not each.empty for each in signature.parameters.values())
    assert signature.return_annotation is not signature.empty


@pytest.mark.parametrize("name", [name for name in stacksim.__all__ if not name.islower()])
def test_record_classes_are_loaded_on_access(name):
    assert inspect.isclass(getattr(stacksim, name))


def test_nothing_is_loaded_before_it_is_used():
    heavy = ("numpy", "pydantic", "simpy", "sim.prediction")
    words = f"import sys, stacksim; print([each for each in {heavy} if each in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_guest_that_is_not_installed_is_one_line(monkeypatch):
    monkeypatch.setattr(stacksim, "registered", lambda _: {})
    with pytest.raises(
        AttributeError, match=r"^stacksim\.claim is not in this installation; pip install stacksim$"
    ):
        stacksim.claim  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'stacksim' has no attribute 'predictt'$"):
        stacksim.predictt  # noqa: B018


def test_changed_system_is_used_like_any_other():
    faster = stacksim.system("redo", parameters={"write_s": 1e-4})
    changed, plain = (
        stacksim.predict(each, sessions=4, precision=0.05, intervals=False).throughput.value
        for each in (faster, "redo")
    )
    assert changed > plain
    with pytest.raises(stacksim.InputError, match="no parameter 'log_write'"):
        stacksim.system("redo", parameters={"log_write": 1e-4})


def test_questions_of_planning():
    design = stacksim.find("redo", "throughput>=4000/s", sessions="1..64", precision=0.05).design
    assert design is not None
    months = stacksim.growth("redo", "mean<=20ms", load="sessions", sessions=8, months=3, precision=0.05).months
    assert [month.number for month in months][:1] == [0]
    with pytest.raises(stacksim.InputError, match="the load 'sessions' has no value"):
        stacksim.growth("redo", "mean<=20ms", load="sessions")


def test_every_record_converts_to_a_frame():
    found = {
        "predict": stacksim.predict("gp3", precision=0.05, intervals=False),
        "sweep": stacksim.sweep("gp3", block=["4KiB", "64KiB"], engine="analytic"),
        "explain": stacksim.explain("gp3", precision=0.05),
        "compare": stacksim.compare(("redo", {"sessions": 4}), ("redo", {"sessions": 8}), precision=0.05),
        "fail": stacksim.fail("dbfs", engine="analytic"),
        "find": stacksim.find("redo", "throughput>=4000/s", sessions="1..64", precision=0.05),
        "growth": stacksim.growth("redo", "mean<=20ms", load="sessions", sessions=8, months=2, precision=0.05),
        "report": stacksim.report("redo-filesystems", precision=0.05),
    }
    frames = {name: record.to_frame() for name, record in found.items()}
    assert all(len(frame) for frame in frames.values())
    predicted, compared = frames["predict"].set_index("answer"), frames["compare"].set_index("answer")
    assert predicted.loc["throughput", "value"] == found["predict"].throughput.value
    assert compared.loc["throughput", "difference"] > 0.0
    assert list(frames["fail"]["failed"]) == ["nothing", "a cell"]
    chosen = frames["find"][frames["find"]["status"] == "kept"]
    assert list(chosen["sessions"]) == [found["find"].design["sessions"]]
    assert list(frames["growth"]["month"]) == [0, 1]
    assert {"published", "predicted", "error"} <= {*frames["report"]}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: stacksim.report(3), "dataset is 3; allowed: "),
        (lambda: stacksim.fit("dbfs", None), "dataset is None; allowed: "),
        (lambda: stacksim.compare("gp3", "gp3"), "a design is 'gp3'; allowed: "),
        (lambda: stacksim.fit("gp3"), "no dataset of 'gp3' is published, and none is given; give a folder"),
        (lambda: stacksim.fit("dbfs", starts=0), "starts is 0; allowed: a whole number of at least 1"),
        (lambda: stacksim.find("redo", 3, sessions="1..4"), "'3' is not a goal; allowed: "),
        (lambda: stacksim.growth("redo", "mean<=1s", load=["sessions"]), r"load is \['sessions'\]; allowed: "),
        (lambda: stacksim.sweep("dbfs", parameters=[3]), r"parameters are \[3\]; allowed: a mapping"),
        (lambda: stacksim.sweep("dbfs", parameters={"cores": None}), "cores is None; allowed: a list of values"),
        (lambda: stacksim.sweep("dbfs", parameters={"cores": "48"}), "cores is '48'; allowed: a list of values"),
        (lambda: stacksim.sweep("dbfs", parameters={"cores": {4: 8}}), "cores is {4: 8}; allowed: a list"),
        (lambda: stacksim.sweep("dbfs", parameters={"users": [4]}), "'users' is a setting, not a parameter"),
        (lambda: stacksim.predict("dbfs", latency_s=1), "'latency_s' is a parameter, not a setting"),
        (lambda: stacksim.system("gp3", hardware=[3]), "hardware is 3; allowed: 'NAME' or 'LAYER=NAME'"),
        (lambda: stacksim.system("gp3", hardware="gp2"), "hardware is 'gp2'; allowed: a list of names"),
        (lambda: stacksim.system("gp3", fitted=3), "fitted is 3; allowed: the name of a file"),
        (lambda: stacksim.explain("dbfs", engine="analytic"), "engine is 'analytic', and an explanation records"),
    ],
)
def test_an_argument_of_another_kind_is_refused(ask, message):
    with pytest.raises(stacksim.InputError, match=message):
        ask()


def arguments():
    """Names by which functions that take settings, too, are told how to run."""
    signatures = [inspect.signature(getattr(stacksim, name)).parameters.values() for name in FUNCTIONS]
    taking = [each for each in signatures if any(one.kind is one.VAR_KEYWORD for one in each)]
    named = (one for each in taking for one in each if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL))
    return sorted({one.name for one in named})


def test_no_installed_system_has_a_setting_that_is_lost_to_an_argument():
    lost = {name: {each.name for each in system.settings} & {*arguments()} for name, system in systems().items()}
    assert {name: names for name, names in lost.items() if names} == {}


@pytest.mark.parametrize("name", arguments())
def test_no_setting_is_lost_to_an_argument_of_its_name(tmp_path, name):
    file = tmp_path / "own.toml"
    file.write_text(f'title = "t"\n[settings]\n{name} = 2\n[[layer]]\nkind = "ssd"\n')
    with pytest.raises(stacksim.InputError, match=f"setting '{name}' has the name of an option"):
        stacksim.system(str(file))
