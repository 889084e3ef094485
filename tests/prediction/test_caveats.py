"""Caveats of an answer are equal whichever way the question came in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from sim import Closed, InputError, Model, Station, Use
from sim.engine.simulation.variation import Variation
from sim.prediction import RunOptions, predict
from sim.prediction.caveats import assumptions, lacking_percentiles
from sim.prediction.extrapolation import extrapolated
from sim.system import Parameters, Scenario, Settings, System, count, find
from sim.system.case import Case
from sim.system.stack.build import stack_system
from sim.system.stack.job import job_of
from sim.system.what_if import with_set

QUICK = RunOptions(precision=0.2, answers=("throughput",))

JOB = "[global]\ndirect=1\nioengine=io_uring\nruntime=9\n[a]\nrw=randwrite\nbs=8k\niodepth=16\nnumjobs=8\n"

DURABLE = """\
title = "writes"
[settings]
users = 2
unused = 3
[load]
clients = "users"
op = "write"
durable = "data"
[[layer]]
kind = "ssd"
"""


@dataclass(frozen=True)
class Branches:
    clients: int = count(1, "clients")
    second: int = count(0, "whether there is another way", low=0)
    spare: int = count(1, "of the other way")


def build(settings, _parameters):
    seconds = 2e-3 * settings.spare if settings.second else 1e-3
    model = Model([Closed("load", clients=settings.clients, path=[Use(Station("server"), seconds)])])
    return Scenario(model, watch="load", amount=1.0, unit="1/s")


SYSTEM = System("branches", "two ways", Settings.of(Branches), Parameters(()), build)


def case_of_job(tmp_path, text, stack="nvme-xfs", **changes):
    file = tmp_path / "a.fio"
    file.write_text(text)
    (system,) = job_of(find(stack), file).systems
    return Case.of(replace(system, **changes), {})


@pytest.mark.parametrize(
    ("settings", "noted"), [({"spare": 2}, True), ({"spare": 2, "second": 1}, False), ({"clients": 2}, False)]
)
def test_a_setting_that_the_model_did_not_read_is_noted(settings, noted):
    notes = predict(SYSTEM, settings, QUICK).notes
    assert any("spare=2: no effect here" in each for each in notes) == noted


def test_a_job_is_expressed_in_the_settings_of_the_stack(tmp_path):
    case = case_of_job(tmp_path, JOB)
    assert case.plain == {**case.plain, "jobs": 8, "depth": 16, "block": 8192, "op": "write"}
    assert case.shown == {**case.shown, "jobs": "8", "depth": "16", "block": "8KiB", "op": "write"}


def test_setting_without_a_single_value_is_none(tmp_path):
    case = case_of_job(tmp_path, JOB.replace("bs=8k", "bssplit=4k/50:64k/50"))
    assert (case.plain["block"], case.shown["block"]) == (None, "4KiB, 64KiB")


def test_settings_not_in_force_do_not_make_a_job_untested(tmp_path):
    seen = tuple(
        (("jobs", str(jobs)), ("depth", "16"), ("block", "8KiB"), ("op", "write"), ("files", "each"))
        for jobs in (1, 8)
    )
    parameters = replace(find("nvme-xfs").parameters, seen_under=seen)
    assert not [*extrapolated(case_of_job(tmp_path, JOB, parameters=parameters))]
    deeper = JOB.replace("iodepth=16", "iodepth=64").replace("randwrite", "write")
    told = [str(each) for each in extrapolated(case_of_job(tmp_path, deeper, parameters=parameters))]
    assert told == ["depth=64 (measured: 16)", "order=sequential (measured: random)"]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (JOB + "fsync=1\n", "fsync=1 of job 'a' needs a flush, which no layer has"),
        (JOB + "sync=dsync\n", "sync=dsync of job 'a' needs a flush"),
        (JOB.replace("direct=1\n", ""), "direct=0 of job 'a' .* needs a page cache"),
    ],
)
def test_job_that_no_layer_supports_is_refused(tmp_path, text, needed):
    with pytest.raises(InputError, match=needed):
        _ = case_of_job(tmp_path, text, "gp3").scenario


def test_load_that_no_layer_of_a_stack_file_supports_is_refused(tmp_path):
    file = tmp_path / "ours.toml"
    file.write_text(DURABLE)
    with pytest.raises(InputError, match="durable = 'data' needs a flush, which no layer has"):
        predict(find(str(file)), {}, QUICK)
    file.write_text(DURABLE + 'flush = "0us"\n')
    assert predict(find(str(file)), {}, QUICK).value() > 0.0


def test_settings_unused_by_a_stack_are_refused(tmp_path):
    file = tmp_path / "ours.toml"
    file.write_text(DURABLE.replace("[load]", "[parameters]\nvain = 2\n[load]") + 'flush = "0us"\n')
    with pytest.raises(InputError, match="unused has no effect: nothing in the stack file uses it"):
        Case.of(str(file), {"unused": 4})
    with pytest.raises(InputError, match="vain has no effect"):
        with_set(find(str(file)), {"vain": 3})
    with pytest.raises(InputError, match="jobs has no effect: the job file says what is asked for"):
        Case.of(case_of_job(tmp_path, JOB).system, {"jobs": 1})


def test_commits_that_are_not_durable_are_noted(tmp_path):
    notes = predict(case_of_job(tmp_path, JOB, "postgresql").system, {}, QUICK, intervals=False).notes
    assert any("synchronous_commit = off" in each for each in notes)


LITERAL = """\
title = "reads"
[settings]
users = 2
[parameters]
access = "100us"
[load]
clients = "users"
[[layer]]
kind = "ssd"
latency = { read = { "4KiB" = NUMBER }, write = { "4KiB" = "access" } }
bandwidth = "1GB/s"
"""


@pytest.mark.parametrize(
    ("number", "noted"),
    [('"access"', "a number of a layer is no parameter"), ('"90us"', "2 numbers of layers are")],
)
def test_numbers_that_no_band_includes_are_noted(tmp_path, number, noted):
    file = tmp_path / "reads.toml"
    file.write_text(LITERAL.replace("NUMBER", number))
    (note,) = predict(find(str(file)), {}, QUICK).notes
    assert note.startswith(noted)
    file.write_text(LITERAL.replace("NUMBER", '"access"').replace('bandwidth = "1GB/s"\n', ""))
    assert predict(find(str(file)), {}, QUICK).notes == ()


def test_every_record_lists_assumptions():
    prediction = predict("dbfs", {"users": 1}, QUICK)
    assert prediction.record()["assumed"] == [each.name for each in prediction.assumed] != []


def test_caveats_of_percentiles_are_grouped_by_reason():
    fixed = [Variation(1.0, 0.0, 0.0, places) for places in (("cpu", "disk"), ("disk", "link"))]
    assumed, known = Variation(0.0, 1.0, 0.0, ("flush",)), Variation(0.0, 0.0, 1.0)
    assert lacking_percentiles(Case.of("dbfs", {}), [fixed[0], known, assumed, None, fixed[1]]) == {
        "percentiles not modelled: times of cpu, disk, link are constants; "
        "give them a variation, or a measured distribution": [0, 4],
        "percentiles assumed: no source says how times of flush vary": [2],
    }


def test_defaults_of_layers_are_reported_among_the_assumptions(tmp_path):
    path = tmp_path / "one.toml"

    def caveats(layers):
        path.write_text(f'title = "one"\n[parameters]\nread = "80us"\n{layers}')
        return predict(stack_system(path), {}, intervals=False).caveats

    ssd = caveats('[[layer]]\nkind = "ssd"\nlatency = "read"\nunits = 8\n')
    assert ssd.record()["assumed"] == ["read", "ssd: bandwidth 3.2GB/s", "ssd: depth 1024", "ssd: flushes 1"]
    assert (
        assumptions([ssd])
        == "read; defaults that no interval covers: ssd bandwidth 3.2GB/s, depth 1024, flushes 1"
    )
    plain = caveats('[[layer]]\nkind = "ssd"\nunits = 8\n')
    assert "ssd latency read 59.2us, write 20us, bandwidth" in assumptions([plain])
    both = caveats('[[layer]]\nkind = "zfs"\n[[layer]]\nkind = "ssd"\n')
    assert assumptions([both]).endswith(" numbers of 2 layers, which `stacksim stack check` names")


def test_a_variation_is_advised_only_where_a_layer_takes_one(tmp_path):
    path = tmp_path / "one.toml"
    for layer, told in (
        ('kind = "ssd"\nlatency = "80us"', "are constants; give them a variation, or a measured distribution"),
        ('kind = "copy"', "are constants; no variation can be given to copy; bare steps take a distribution"),
    ):
        path.write_text(f'title = "one"\n[[layer]]\n{layer}\n')
        assert told in predict(stack_system(path), {}, intervals=False).caveats.percentiles
