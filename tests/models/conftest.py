"""Shared by the tests of the systems."""

from __future__ import annotations

import pytest

from memo import remember


@pytest.fixture(autouse=True, scope="module")
def _published_figures_once(predictions_of_all):
    """Each published figure is simulated once, whichever tests, documents and workers ask for it."""
    with pytest.MonkeyPatch.context() as patch:
        remember(predictions_of_all, patch)
        yield
