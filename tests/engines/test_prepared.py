"""Machine code for other processors: the same numbers, bit for bit; and none that does not fit."""

from __future__ import annotations

import pytest
from llvmlite import binding as llvm

from sim import Cache, Choose, Closed, Erlang, Exponential, Hold, Lookup, Model, Pool, Station, Use, Zipf
from sim.engine.events.compiled import CompiledEngine, compilation, engine, jit, loop, object_code, prepared
from sim.engine.events.reference import ReferenceEngine

if not jit.AVAILABLE:
    pytest.skip("nothing is compiled without Numba", allow_module_level=True)

pytestmark = pytest.mark.long

HIGHER = {
    "x86-64-v3": {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


@pytest.fixture(scope="module")
def assembly():
    return compilation.intermediate_code()


def test_contraction_is_detected():
    """LLVM emits the instructions sought by the next test where it may contract."""
    product = "define double @stacksim_run(double %a) {\n %b = fmul contract double %a, %a\n"
    contracted = product + " %c = fadd contract double %b, 1.0\n ret double %c\n}"
    assert "fmadd" in machine_assembly(contracted, "x86-64-v3")


def test_no_product_and_sum_is_contracted(assembly):
    written = machine_assembly(assembly, "x86-64-v3")
    assert "vmulsd" in written
    assert "fmadd" not in written


def machine_assembly(assembly, processor):
    target = object_code.target_machine(processor, "")
    return target.emit_assembly(llvm.parse_assembly(assembly))


def completions(kind, model):
    made = kind(model, 3, record=True)
    made.advance(20_000_000)
    return made.completions


def busy():
    """Random times of three kinds, choices and a cache whose policy computes with fractions."""
    disk, pool = Station("disk", 2), Pool("threads", 3)
    either = Choose((0.3, Use(disk, Erlang(1e-5, 3))), (0.7, Use(disk, Exponential(3e-6))))
    found = Lookup(Cache("cache", 50, "arc"), Zipf(300, 0.9), Use(disk, 1e-6), either)
    return Model([Closed("x", clients=9, path=[Hold(pool, found, Use(Station("link"), Exponential(1e-6)))])])


def test_every_level_gives_the_same_completions(assembly, monkeypatch):
    features = llvm.get_host_cpu_features()
    levels = [*prepared.LEVELS, *(level for level, needed in HIGHER.items() if all(map(features.get, needed)))]
    expected = completions(ReferenceEngine, busy())
    assert len(expected) > 1000
    for level in levels:
        run = jit.called(loop.run.function, *loop.run.kinds)
        run.load(object_code.emitted(assembly, level))
        monkeypatch.setattr(engine, "run", run)
        assert completions(CompiledEngine, busy()) == expected, level


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Where code for this processor is looked for."""
    monkeypatch.setattr(prepared, "FOLDER", tmp_path)
    monkeypatch.setattr(prepared, "LEVELS", {"level": frozenset()})
    return tmp_path / prepared.name_of("level")


def test_code_that_fits_is_taken(file):
    file.write_bytes(object_code.packed(b"code"))
    assert prepared.code() == b"code"


def test_code_of_other_sources_is_rejected(file):
    file.with_name(prepared.name_of("level").replace(object_code.sources().hex(), "0" * 16)).write_bytes(
        object_code.packed(b"code")
    )
    assert prepared.code() is None


def test_truncated_code_is_rejected(file):
    file.write_bytes(object_code.packed(b"code")[:-1])
    assert prepared.code() is None


def test_code_for_missing_processor_features_is_rejected(file, monkeypatch):
    file.write_bytes(object_code.packed(b"code"))
    monkeypatch.setattr(prepared, "LEVELS", {"level": frozenset({"no-such-feature"})})
    assert prepared.code() is None
