"""`docs/api.md` is made from the docstrings. Run as a script, this file brings it up to date."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cached_property
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
HEAD = """# Python API

Made from the docstrings by `python tests/golden/test_api.py`. What the words mean: [vocabulary](vocabulary.md),
[glossary](glossary.md); how they are used: [your own system](your-own-system.md), [your
own layer](your-own-layer.md).
"""
FACES = ("stacksim", "stacksim.layers", "stacksim.testing", "sim", "sim.system", "sim.prediction")
WIDEST = 100
"""Columns of a signature, beyond which each of what it takes has a line."""


def page():
    """The whole page: the public names of every face."""
    told = set()
    return "\n".join([HEAD, *(section for name in FACES for section in face(importlib.import_module(name), told))])


def face(module, told):
    """The names of one face; those that an earlier one has are named again, and no more."""
    yield f"## `{module.__name__}`\n\n{text_of(module)}\n"
    things = {name: getattr(module, name) for name in module.__all__}
    again = [name for name, thing in things.items() if id(thing) in told]
    if again:
        yield f"Also here: {', '.join(f'`{name}`' for name in again)}.\n"
    told |= set(map(id, things.values()))
    for name, thing in things.items():
        if name in again:
            continue
        yield f"### `{module.__name__}.{name}`\n"
        if signature := signature_of(name, thing):  # as text, since no formatter is to break it
            yield f"```text\n{signature}\n```\n"
        yield f"{text_of(thing)}\n"
        if inspect.isclass(thing):
            yield from methods(thing)


def methods(thing):
    """Public ones of its own, a line each."""
    lines = [
        f"- `{called(name, member)}`: {first_line(member)}"
        for name, member in vars(thing).items()
        if not name.startswith("_") and documented(member)
    ]
    if lines:
        yield "\n".join(lines) + "\n"


def called(name, member):
    """A method with what it takes, without ``self``; a property is its name."""
    if isinstance(member, property | cached_property):
        return name
    plain = inspect.unwrap(getattr(member, "__func__", member))
    text = signature_of(name, plain)
    text = " ".join(text.split()).replace("( ", "(").replace(",)", ")")
    return text if isinstance(member, staticmethod) else re.sub(r"\((self|cls)(, )?", "(", text)


def documented(member):
    return isinstance(member, property | cached_property | classmethod | staticmethod) or inspect.isfunction(
        member
    )


def first_line(member):
    return (inspect.getdoc(member) or "").partition("\n")[0].replace("``", "`")


class Raw(str):
    """An annotation that is shown as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def signature_of(name, thing):
    """As it is called, with its types."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parts = [written(each) for each in signature.parameters.values()]
    nothing = inspect.isclass(thing) or signature.return_annotation is signature.empty
    returned = "" if nothing else f" -> {typed(signature.return_annotation)}"
    text = re.sub(r"<[^>]*>", "…", str(signature.replace(parameters=parts, return_annotation=signature.empty)))
    whole = f"{name}{text}{returned}"
    return whole if len(whole) <= WIDEST or not parts else folded(name, text, returned)


def written(parameter):
    typeless = parameter.annotation is parameter.empty
    return parameter.replace(annotation=parameter.empty if typeless else Raw(typed(parameter.annotation)))


def typed(annotation):
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def folded(name, text, returned):
    """A line for each parameter; commas within brackets stay."""
    depth, lines = 0, [""]
    for letter in text[1:-1]:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            lines.append("")
        else:
            lines[-1] += letter
    return "\n".join((f"{name}(", *(f"    {line.strip()}," for line in lines), f"){returned}"))


def text_of(thing):
    """Its docstring as Markdown: double backticks become single ones, lists of attributes get bullets."""
    if not (inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isroutine(thing)):
        return "A type, for annotations."
    text = (thing.__doc__ and inspect.cleandoc(thing.__doc__)) or ""
    if inspect.isclass(thing) and text.startswith(f"{thing.__name__}("):
        text = ""  # what dataclasses write themselves
    text = text.replace("``", "`")
    text = re.sub(r"^(Args|Attributes|Returns|Raises|Example):$", r"**\1**\n", text, flags=re.MULTILINE)
    return re.sub(r"^ {4}(?!>>>)(\S[^:\n]*):", r"- `\1`:", text, flags=re.MULTILINE)


def test_the_page_is_made_from_the_docstrings():
    assert PAGE.read_text("utf-8") == page(), "python tests/golden/test_api.py brings it up to date"


def test_every_public_name_says_what_it_is():
    for name in FACES:
        module = importlib.import_module(name)
        silent = [each for each in module.__all__ if not text_of(getattr(module, each)).strip()]
        assert not silent, f"{name}: {', '.join(silent)}"


def test_a_method_is_listed_as_it_is_called():
    lines = "\n".join(methods(importlib.import_module("sim.prediction").Case))
    assert "- `of(system: System | str, settings: Values) -> Case`: The case" in lines
    assert "- `forget() -> None`: " in lines
    assert "- `scenario`: " in lines  # a property


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
