"""A page with a fault is seen, or no test of a page would show anything."""

from __future__ import annotations

import pytest

from watching import watch


@pytest.mark.parametrize(
    "script",
    ["console.error('a fault')", "throw Error('a fault')", "fetch('http://192.0.2.1/').catch(() => 0)"],
)
def test_a_fault_is_seen(browser, script):
    page = browser.new_page()
    faults = watch(page)
    page.set_content(f"<script>{script}</script>")
    page.wait_for_timeout(100)
    assert faults
    page.close()


def test_a_page_without_faults_has_none(page):
    page.set_content("<p>quiet</p>")
