"""A group of commands, such as ``stacksim`` and ``stacksim stack``, and its help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from sim.cli.examples import FIRST_STEPS, PANELS, examples, panel
from sim.engine.errors import InputError
from sim.engine.extensions import elsewhere, load, package_of, registered, warn_of_namesakes

GROUP = "stacksim.commands"
"""Entry-point group of commands that other packages bring, each a ``typer.Typer``."""

_OTHERS = "Commands"
"""Panel of commands that are in none."""

_ORDER = [command for commands in PANELS.values() for command in commands]


class _WholeSentences(TyperGroup):
    """Group whose help describes each command in full; typer would cut it off at the end of the line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # a shell that completes asks without arguments
            if ctx.parent is None:
                typer.echo(FIRST_STEPS)
                ctx.exit()
            ctx.fail(f"no command; allowed: {', '.join(self.commands)}")
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command of this group; of the outermost group also those that other packages bring."""
        command = super().get_command(ctx, cmd_name)
        if ctx.parent:
            return command
        if command:
            warn_of_namesakes(GROUP, cmd_name)
        return command or _brought(cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *([] if ctx.parent else registered(GROUP))]

    def _shown(self, ctx: Any, name: str) -> Any:
        """The command, or what keeps one of another package from being one."""
        try:
            return self.get_command(ctx, name)
        except InputError as error:
            return SimpleNamespace(help=str(error))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        known = {name: self._shown(ctx, name) for name in self.list_commands(ctx)}
        width = max(map(len, known))
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in sorted(known.items(), key=_place):
            title = getattr(command, "rich_help_panel", None) or _OTHERS
            panels.setdefault(title, []).append((name.ljust(width), command.help or ""))
        for title, rows in panels.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _brought(name: str) -> Any:
    """The command ``name`` of another package; None if there is none.

    Raises:
        InputError: it cannot be used, or is registered in another group.
    """
    if point := registered(GROUP).get(name):
        return load(point, _command)
    if others := elsewhere(GROUP, name):
        raise InputError(f"no command '{name}'{others}")
    return None


def _command(app: object) -> Any:
    if not isinstance(app, typer.Typer):
        raise InputError(f"it is a {type(app).__name__}; allowed: a typer.Typer")
    return typer.main.get_command(app)


def package_behind(words: Sequence[str]) -> str:
    """The package that brings the command of ``words``; empty for a command of stacksim's own."""
    point = registered(GROUP).get(words[0]) if words and words[0] not in _ORDER else None
    return package_of(point) if point else ""


def _place(entry: tuple[str, Any]) -> int:
    """Where a command stands in the help: those that are in no panel come last, in their own order."""
    return _ORDER.index(entry[0]) if entry[0] in _ORDER else len(_ORDER)


def group(does: str, name: str = "") -> typer.Typer:
    """A group without commands; its help says what it ``does``, and ends with the examples of ``name``.

    Help is plain text: boxes around it would take longer to draw than all the rest.
    """
    return typer.Typer(
        name="stacksim",
        help=does,
        epilog=examples(name) if name else "stacksim COMMAND -h: the options of a command, and two examples.",
        cls=_WholeSentences,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


class NamedArguments(TyperCommand):
    """Command whose help names arguments as people type them; typer would add types of Python, ``<str>``."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        parameters = self.get_params(ctx)
        arguments = [each for each in parameters if isinstance(each, TyperArgument)]
        options = [each.get_help_record(ctx) for each in parameters if each not in arguments]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(each.metavar, each.help) for each in arguments])
        with formatter.section("Options"):
            formatter.write_dl(options)


def command_of(
    app: typer.Typer, name: str, cls: type[NamedArguments] = NamedArguments
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command, such as ``stack new``, in its panel of the help and with its examples."""
    word = name.rpartition(" ")[2]
    return app.command(word, cls=cls, rich_help_panel=panel(name), epilog=examples(name))


def alone(name: str, function: Callable[..., None]) -> typer.Typer:
    """The command ``name`` of a guest of stacksim, with its examples, for the group ``stacksim.commands``."""
    app = typer.Typer(
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    command_of(app, name)(function)
    return app
