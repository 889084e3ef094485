"""JupyterLab opens each lesson and runs it from top to bottom; its sliders move its curves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client.blocking import BlockingKernelClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
LESSONS = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))

LOOSELY = "import stacksim.notebook.asking\nstacksim.notebook.asking.PRECISION = 0.1\n"
"""First code of each kernel: a lesson in a few seconds."""

SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells are there, whether in sight or not
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

SECONDS = 60
"""To wait for a server, and for a page."""

PATIENCE = 5
"""Seconds to wait for a curve to move, before the next slider is tried."""

OUTPUTS = """() => jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === "code").map(cell => cell.model.outputs.toJSON())"""

SHOWN = (
    "{n: [list(c.y) for chart in s.charts for c in chart.curves] for n, s in Out.items() if hasattr(s, 'moving')}"
)
"""In the kernel, the curves of all cells that show sliders."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server of JupyterLab on copies of the lessons, with nothing of the user's: its address and its folder."""
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed: make browser")
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS, home / "notebooks")
    for name, content in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), "utf-8")
    startup = home / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "loosely.py").write_text(LOOSELY, "utf-8")
    folders = {f"JUPYTER_{each.upper()}_DIR": str(home / each) for each in ("config", "data", "runtime")}
    folders |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "IPYTHONDIR": str(home / "ipython")}
    options = ("--no-browser", "--allow-root", "--LabApp.expose_app_in_browser=True", "--ServerApp.ip=127.0.0.1")
    command = [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={home / 'notebooks'}"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=os.environ | folders, stdout=log, stderr=log)
    try:
        yield *address(home, server), home
    finally:
        server.terminate()
        server.wait(SECONDS)


def address(home, server):
    """Where the server says that it is, and its token."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and server.poll() is None:
        for file in (home / "runtime").glob("jpserver-*.json"):
            said = json.loads(file.read_text("utf-8") or "{}")
            if said:
                return said["url"], said["token"]
        time.sleep(0.2)
    raise AssertionError((home / "log").read_text("utf-8"))


@pytest.fixture
def opened(browser, lab):
    """Opens a lesson; what goes wrong in its page is collected."""
    url, token, _ = lab
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def of(name):
        page.goto(f"{url}doc/tree/{name}?token={token}&reset")
        page.wait_for_function(
            "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=SECONDS * 1000,
        )
        return page

    yield of
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    context.close()
    assert not faults


@contextmanager
def kernel_of(page, home):
    """A client of the kernel of the page; one for all questions, since each has sockets of its own."""
    kernel = page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.id")
    client = BlockingKernelClient(connection_file=str(home / "runtime" / f"kernel-{kernel}.json"))
    client.load_connection_file()
    client.start_channels()
    try:
        yield client
    finally:
        client.stop_channels()


def curves(client):
    """Output of the kernel beside its sliders, by cell."""
    reply = client.execute("", user_expressions={"shown": SHOWN}, reply=True, timeout=SECONDS)
    return reply["content"]["user_expressions"]["shown"]["data"]["text/plain"]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_and_its_sliders_move_its_curves(name, opened, lab):
    page = opened(name)
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    outputs = page.evaluate(OUTPUTS)
    errors = [each for cell in outputs for each in cell if each["output_type"] == "error"]
    assert not errors, errors
    assert any(cell for cell in outputs)
    if "sliders(" not in (NOTEBOOKS / name).read_text("utf-8"):
        return
    with kernel_of(page, lab[2]) as client:
        before = curves(client)
        assert before != "[]"
        assert any(moved(client, before) for _ in hands(page)), "a hand moved each slider, and no curve moved"


def hands(page):
    """Move one slider after the other, or choose from a menu, as a hand does."""
    outputs = page.locator(".jp-OutputArea-output")
    for menu in outputs.locator("select").all():
        menu.select_option(index=menu.locator("option").count() - 1)
        yield
    for handle in outputs.locator(".noUi-handle").all():
        for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
            handle.focus()
            page.keyboard.press(key)
            yield


def moved(client, before):
    """True if curves differ from those ``before``, at once or soon."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if curves(client) != before:
            return True
        time.sleep(0.2)
    return False
