"""A group of commands, such as ``stacksim`` and ``stacksim stack``, and its help."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup


class _WholeSentences(TyperGroup):
    """Group whose help describes each command in full; typer would cut it off at the end of the line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # shell completion calls without arguments
            ctx.fail(f"no command; allowed: {', '.join(self.commands)}")
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  (typer's way to call it)
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help or "") for name, command in self.commands.items()])


def group(does: str) -> typer.Typer:
    """A group without commands; its help says what it ``does``.

    Help is plain text: boxes around it would take longer to draw than all the rest.
    """
    return typer.Typer(
        name="stacksim",
        help=does,
        cls=_WholeSentences,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
