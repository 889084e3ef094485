"""A release is read as people write it, and compared by its numbers."""

from __future__ import annotations

import pytest

from sim import InputError
from sim.system.releases import ReleaseOf

KERNEL = ReleaseOf("kernel", "6.3", "", "Linux", (3, 0), (9, 99))


@pytest.mark.parametrize(
    ("written", "read"),
    [("6.3", (6, 3)), ("5.15.0-91-generic", (5, 15)), ("6.10-rc1", (6, 10)), (" 3.0 ", (3, 0)), ((5, 4), (5, 4))],
)
def test_output_of_uname_is_parsed(written, read):
    assert KERNEL.parse(written) == read


def test_numbers_are_compared_not_letters():
    assert KERNEL.parse("5.9") < KERNEL.parse("5.12") < KERNEL.parse("6.1")


def test_shown_release_is_parsed_back():
    assert KERNEL.parse(KERNEL.show((5, 10))) == (5, 10)


@pytest.mark.parametrize(
    "written", ["6", "6.", "new", "", "2.6.32", "53.4", "6.3 or later", 6.3, 5, True, None, (6,)]
)
def test_anything_else_is_refused_in_one_line(written):
    with pytest.raises(
        InputError, match=r"^kernel is \'.*\'; allowed: a release of Linux from 3\.0 to 9\.99 in quotes"
    ) as error:
        KERNEL.parse(written)
    assert "\n" not in str(error.value)
