"""`stacksim stack new`: a file for every answer that goes together, one line for what does not."""

from __future__ import annotations

import io
from itertools import product

import pytest

from models.stacks.questions import QUESTIONS, stack_text
from refusals import refused
from sim.engine.errors import InputError
from sim.system import find
from sim.system.case import Case

FIRST = {each.name: each.options[0] for each in QUESTIONS}


def answers():
    """Each option of a question with each of another, all else as an empty answer has it."""
    for one, other in product(QUESTIONS, QUESTIONS):
        for first, second in product(one.options, other.options):
            yield tuple({**FIRST, one.name: first, other.name: second}.items())


def test_nine_questions_are_asked():
    assert len(QUESTIONS) == 9


def test_every_two_answers_make_a_model_or_one_line(tmp_path):
    refused = []
    for number, given in enumerate(sorted({*answers()})):
        path = tmp_path / f"stack{number}.toml"
        try:
            path.write_text(stack_text(dict(given)), "utf-8")
        except InputError as error:
            refused.append(str(error))
            continue
        assert Case.of(find(str(path)), {}).scenario.model.workloads, given
    told = {"access is 'buffered'", "network is 'nfs'", "log is 'device'"}
    assert {line.partition(",")[0] for line in refused} == told
    assert not any("\n" in line for line in refused)


def test_answers_in_the_command_give_a_valid_stack_file(run, tmp_path):
    file = tmp_path / "ours.toml"
    status, out, err = run("stack", "new", file, "device=disk", "redundancy=mirror")
    assert (status, err) == (0, "")
    assert out.startswith("written ")
    assert 'kind = "mirror"' in file.read_text("utf-8")
    assert run("stack", "check", file)[0] == 0


def test_a_file_that_is_there_is_left(run, tmp_path):
    file = tmp_path / "ours.toml"
    file.write_text("precious", "utf-8")
    status, _, err = run("stack", "new", file)
    assert status == 2
    assert "is there already; name another file" in err
    assert file.read_text("utf-8") == "precious"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("device=tape", "no answer to device 'tape'; allowed: cloud-volume, disk, nvme, sata-ssd"),
        ("drive=disk", "no question 'drive'; "),
        ("disk", "'disk' is no answer; write question=answer"),
    ],
)
def test_invalid_answer_gets_one_line(run, tmp_path, word, message):
    refused(run("stack", "new", tmp_path / "ours.toml", word), message)


def test_open_questions_are_asked_at_a_terminal(run, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal("postgresql\n" + 5 * "\n" + "device\n"))
    status, out, err = run("stack", "new", "-", "filesystem=zfs")
    assert status == 0
    assert 'database = "postgresql"' in out
    assert 'kind = "zfs"\nlog = "log"' in out
    assert err.count("? ") == 7
    assert "members" not in err, "there is no redundancy"

    monkeypatch.setattr("sys.stdin", Terminal("fio\nxfs\ndirect\nnone\nmirors\nmirror\n8\ncloud-volume\n"))
    status, out, err = run("stack", "new", "-")
    assert status == 0
    assert 'kind = "limits"' in out
    assert "count = 8" in out
    assert "no answer to redundancy 'mirors'; did you mean 'mirror'?" in err
    assert err.count("redundancy: ") == 2
    assert not {"protected: ", "log: "} & {*err.split("? ")}
