"""`stacksim stack`: check, show and describe stack files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.group import NamedArguments, command_of, group
from sim.cli.options import AsJson, Picture, schema_of
from sim.engine.errors import InputError, StackFileError, shown

if TYPE_CHECKING:
    from sim.system.stack.build import Stack
    from sim.system.stack.kinds import Filled
    from sim.system.system import System

app = group("Write, check and draw stack files; measure this machine for their layer `host`.", "stack")

File = Annotated[Path, typer.Argument(metavar="FILE", help="a stack file, such as my-stack.toml")]


@command_of(app, "stack check")
def check(file: File) -> None:
    """Check a stack file: read it, build its model, and check that the model keeps laws of queueing."""
    from sim.cli import console  # lazily: rich
    from sim.engine.simulation.options import RunOptions
    from sim.output.views.laws import lines, warnings  # lazily: NumPy
    from sim.prediction.laws import laws_of  # lazily: NumPy
    from sim.system.case import Case
    from sim.system.stack.build import names_of, stack_system
    from sim.system.stack.passed_bytes import passed_bytes
    from sim.system.stack.remarks import byte_rates, defaults

    system = stack_system(_toml(file))
    case = Case.of(system, {})
    model = case.scenario.model
    counted = f"{_counted(len(model.workloads), 'workload')} and {_counted(len(model.places), 'place')}"
    console.out(f"{shown(file)} is valid: {counted} with default settings")
    implied = _implied(system)
    for layer, fields in implied.items():
        for name, each in fields.items():
            if each.source:
                console.out(f"{layer}: {name} = {each.text}, from {each.source}")
    rates = byte_rates(_stack(system), names_of(*_values(system)))
    if read := ", ".join(f"{field} {value}" for field, value in rates):
        console.out(f"rates: {read}")
    for layer, left in defaults(_stack(system), implied):
        console.out(f"{layer}: by default {', '.join(left)}")
    passed = passed_bytes(_stack(system), *_values(system))
    console.compilation(RunOptions())
    laws = laws_of(case)
    for line in lines(laws, passed):
        console.out(line)
    console.print_warnings([*_remarks(system), *warnings(laws, passed)])


_UNITLESS = {"s": ("a time", "seconds", "25us"), "bytes/s": ("a rate", "bytes a second", "2GB/s")}
"""Kind, meaning of a plain number, and an example for each unit."""


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _remarks(system: System) -> Iterator[str]:
    """Yield oddities of the file itself."""
    from sim.prediction.idle_fields import idle_fields  # lazily: NumPy
    from sim.system.stack.remarks import constants, unused, without_unit  # lazily: pydantic

    stack, settings, parameters = _stack(system), system.settings, system.parameters
    names = [*(each.name for each in settings), *parameters.names()]
    for name in unused(stack, names):
        yield f"nothing uses {name}: every value of it gives the same answer; name it in a layer, or take it out"
    yield from idle_fields(system)
    plain = [each.name for each in parameters.entries if each.unit == "1" and each.value]
    for name, unit in without_unit(stack, plain):
        what, read, such = _UNITLESS[unit]
        yield f"{name} stands for {what} and has no unit, so it is in {read}; write its unit, such as {such}"
    for place in constants(stack, names):
        yield f"{place}, which is out of reach of --set, fit and bands; make it a parameter"


@command_of(app, "stack show")
def show(file: File, picture: Picture = None) -> None:
    """Draw a stack file, as text or with --picture into a file."""
    from sim.cli import console  # lazily: rich
    from sim.engine.files import check_target
    from sim.output import stack_drawing
    from sim.output.pictures import stack as stack_picture
    from sim.output.pictures import style
    from sim.system.stack.build import stack_system

    if picture:
        check_target("picture", picture, style.FORMATS, or_standard_output=True)
    system = stack_system(_toml(file))
    implied = _implied(system)
    if picture:
        style.save(stack_picture.figure(_stack(system), implied), picture)
    else:
        console.out(stack_drawing.text(_stack(system), implied))


class _WithQuestions(NamedArguments):
    """A command whose help lists the questions for a stack file."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from sim.cli.stack_new import questions  # lazily: the questions belong to a package

        try:
            rows = questions()
        except InputError as error:
            rows = [("none", str(error))]
        with formatter.section("Questions, each with its answers, the default first"):
            formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


@command_of(app, "stack new", cls=_WithQuestions)
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the stack file to write; - for standard output")],
    answers: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION=ANSWER", help="answers in advance, such as device=disk")
    ] = None,
) -> None:
    """Ask up to nine questions, and write a stack file with parameters like those of measured machines."""
    from sim.cli import console  # lazily: rich
    from sim.cli.stack_new import answered
    from sim.engine.files import check_target, write_atomically
    from sim.system.installed import STACK_FILE  # lazily: NumPy

    text = answered(answers or ())
    if str(file) == "-":
        console.out(text.rstrip())
        return
    _toml(file)
    check_target("stack file", file, [STACK_FILE])
    if file.exists():
        raise StackFileError(f"'{shown(file)}' is there already; name another file, or remove it")
    write_atomically(file, text.encode())
    console.out(f"written {shown(file)}; try: stacksim stack check {shown(file)}")


@command_of(app, "stack host")
def host(
    as_json: AsJson = False,
    _schema: Annotated[bool, schema_of("sim.calibration.host.host:HostRecord")] = False,
) -> None:
    """Measure how fast threads of this machine wake up, copy and pass on a lock; print the layer `host`."""
    from sim.calibration.host.host import measure_host  # lazily: subprocesses
    from sim.cli import console  # lazily: rich

    measured = measure_host()
    if as_json:
        console.out_json(measured.record())
    else:
        for note in measured.notes:
            console.out(f"# {note}")
        console.out(measured.layer().rstrip())


@command_of(app, "stack schema")
def schema() -> None:
    """Print the JSON schema of stack files, for an editor that completes and checks them."""
    from sim.cli import console  # lazily: rich
    from sim.system.stack.schema import schema as made

    console.out_json(made())


def _stack(system: System) -> Stack:
    from sim.system.stack.build import Stack  # lazily: pydantic

    assert isinstance(system.build, Stack)  # noqa: S101  (stack files build this)
    return system.build


def _implied(system: System) -> Mapping[str, Mapping[str, Filled]]:
    """Fields of layers that other fields imply, at the defaults of all settings."""
    return _stack(system).filled(*_values(system))


def _values(system: System) -> tuple[Any, Any]:
    """Defaults of all settings, and the parameters."""
    settings = {each.name: each.parse(each.default) for each in system.settings}
    return system.settings.record(**settings), system.parameters.values


def _toml(file: Path) -> Path:
    from sim.system.installed import STACK_FILE  # lazily: NumPy

    if file.suffix != STACK_FILE:
        raise StackFileError(f"'{shown(file)}' is no stack file; name one that ends in {STACK_FILE}")
    return file
