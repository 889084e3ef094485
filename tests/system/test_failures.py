"""Parts that may fail: settings of the same system, checked when it is made, shown by the command."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.engine.errors import InputError
from sim.system import Failure
from toy import TOY


def test_a_value_is_read_as_that_of_its_setting():
    (failure,) = replace(TOY, failures=[Failure("a client", {"clients": "3"})]).failures
    assert failure == Failure("a client", {"clients": 3})


@pytest.mark.parametrize(
    ("failures", "message"),
    [
        ([Failure("a client", {"client": 3})], "no setting 'client'; did you mean 'clients'"),
        ([Failure("a client", {"clients": 0})], "failure 'a client': clients is '0'; allowed: a whole number"),
        ([Failure("a client", {})], "changes nothing; give it settings"),
        ([Failure("a client", ("clients",))], "settings are .*; allowed: a mapping"),
        ([Failure(" ", {"clients": 3})], "the name ' ' is not usable"),
        ([Failure("a", {"clients": 3}), Failure("a", {"clients": 4})], "failure 'a' is listed twice"),
        ([("a client", {"clients": 3})], "allowed: Failure"),
        (3, "failures are 3; allowed: a list"),
    ],
)
def test_invalid_failures_are_refused_when_the_system_is_made(failures, message):
    with pytest.raises(InputError, match=message) as refused:
        replace(TOY, failures=failures)
    assert str(refused.value).startswith("system 'toy': ")


@pytest.mark.parametrize("clients", [5, 7])
def test_repeated_failure_is_refused(clients):
    """The failure is more clients, of which there is one by default."""
    failure = Failure("others", {"clients": 5})
    with pytest.raises(InputError, match="has failed already under the given settings"):
        failure.under({"clients": clients, "items": 1, "second": 0}, TOY.settings)


def test_failure_may_lower_or_raise_a_setting():
    given = {"clients": 3, "items": 1, "second": 0}
    assert Failure("others", {"clients": 5}).under(given, TOY.settings) == {**given, "clients": 5}
    assert Failure("two", {"clients": 1}).under(given, TOY.settings) == {**given, "clients": 1}
    both = Failure("others, and a second server", {"clients": 3, "second": 1})
    assert both.under(given, TOY.settings)["second"] == 1
