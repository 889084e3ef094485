"""Counter-examples in lessons: a statement without its mechanism, and the message with which it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stacksim.notebook.telling import say


@contextmanager
def fails(changed: str) -> Iterator[None]:
    """Show the message of the assertion that fails within, under the heading ``changed``.

    Raises:
        AssertionError: nothing failed, so this is no counter-example.
    """
    try:
        yield
    except AssertionError as error:
        say(f"**{changed}.** The statement fails: `AssertionError: {error}`")
    else:
        raise AssertionError(f"the statement holds with {changed.lower()}, too; change something that it needs")
