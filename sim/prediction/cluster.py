"""Workers on other machines: a cluster of Dask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from sim.engine.errors import InputError, shown

_PATIENCE_S = 10
"""Seconds to wait for the cluster to answer."""


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The cluster with its scheduler at ``address``, as an executor; tasks of lost workers move to others.

    Raises:
        InputError: this is no address, Dask is not installed, or no cluster answers.
    """
    if not re.match(r"[a-z]+://.", address):
        raise InputError(f"'{shown(address)}' is no address of a scheduler; write it like tcp://host:8786")
    try:
        from distributed import Client  # type: ignore[import-not-found]  # lazily: needs an extra
    except ImportError:
        raise InputError(
            "--dask needs dask.distributed, which is not installed: pip install 'stacksim[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask cluster answers at '{shown(address)}' ({shown(error)}); start one with `dask scheduler`"
        ) from error
    with client:
        yield client.get_executor()
