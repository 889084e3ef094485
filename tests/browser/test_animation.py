"""The animation in a browser: what is drawn at a time is what the film says, and its clock obeys."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.engine.simulation.options import RunOptions
from sim.prediction.prediction import predict
from stacksim.animation import filmed, page

SHOWN = {
    "path": ("nvme-xfs", {"depth": "8"}),
    "forks": ("dbfs", {"users": "4"}),
    "lock": ("shared-file", {"writers": "8", "filesystem": "ufs", "mount": "buffered"}),
    "batch": ("redo", {}),
    "leader": ("postgresql", {}),
}

DRAWN = """() => Object.fromEntries([...document.querySelectorAll("[data-dot]")].map(
    dot => [dot.dataset.dot, [dot.dataset.state, Number(dot.dataset.row)]]))"""


@pytest.fixture(scope="module", params=SHOWN)
def film(request):
    system, settings = SHOWN[request.param]
    return filmed(predict(system, settings, RunOptions(precision=0.5), intervals=False), 60)


@pytest.fixture(scope="module")
def locked():
    system, settings = SHOWN["lock"]
    return filmed(predict(system, settings, RunOptions(precision=0.5), intervals=False), 60)


@pytest.fixture
def opened(open_page, tmp_path):
    """A page of a film, still at its beginning, read from a file."""

    def of(film, width=1280, motion="reduce", **options):
        path = tmp_path / "film.html"
        path.write_text(page(film), "utf-8")
        shown = open_page(viewport={"width": width, "height": 900}, reduced_motion=motion, **options)
        shown.goto(path.as_uri())
        return shown

    return of


def clock_ns(shown):
    return int(shown.locator("#clock").get_attribute("data-ns"))


def seek(shown, share):
    """Put the scrubber to that share of the film, as a hand does."""
    scrubber = shown.locator("#scrubber")
    scrubber.fill(str(round(share * int(scrubber.get_attribute("max")))))


def where(film, time_ns):
    """By dot, its state and row at that time."""
    rows = {place: number for number, row in enumerate(film.rows) for place in row.places}
    at = film.begin_ns + time_ns
    return {
        str(number): [stay.state[0], rows[stay.place]]
        for number, dot in enumerate(film.dots)
        for stay in dot.stays
        if stay.begin_ns <= at < stay.end_ns
    }


@pytest.mark.parametrize("width", [400, 1280])
def test_dots_are_drawn_where_the_film_says(film, opened, width):
    shown = opened(film, width=width)
    length = film.end_ns - film.begin_ns
    for share in (0.0, 0.111, 0.5, 0.87):
        seek(shown, share)
        time_ns = clock_ns(shown)
        assert time_ns == pytest.approx(share * length, abs=length / 10_000)
        expected = where(film, share * length)
        drawn = shown.evaluate(DRAWN)
        assert {dot: expected.get(dot) for dot in drawn} == drawn
        waiting = Counter(row for state, row in expected.values() if state == "w")
        said = {
            int(row.get_attribute("data-row")): int(row.get_attribute("data-waiting"))
            for row in shown.locator("g.row").all()
        }
        assert said == {row: waiting[row] for row in range(len(film.rows))}
        hidden = sum(int(text) for text in shown.locator("text.more").all_text_contents() if text)
        assert len(drawn) + hidden == len(expected)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_no_dot_stands_on_another_and_each_in_its_row(film, opened):
    shown = opened(film)
    seek(shown, 0.4)
    boxes = [each.bounding_box() for each in shown.locator("[data-dot]").all()]
    middles = {(round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)) for box in boxes}
    assert len(middles) == len(boxes)
    for dot in shown.locator("[data-dot]").all():
        row = shown.locator(f'g.row[data-row="{dot.get_attribute("data-row")}"] .box').bounding_box()
        box = dot.bounding_box()
        assert row["y"] <= box["y"]
        assert box["y"] + box["height"] <= row["y"] + row["height"]
        assert row["x"] <= box["x"]
        assert box["x"] + box["width"] <= row["x"] + row["width"]


def test_play_moves_the_clock_and_pause_stops_it(locked, opened):
    shown = opened(locked)
    assert clock_ns(shown) == 0
    shown.get_by_role("button", name="Play").click()
    shown.wait_for_selector("#clock[data-ns]:not([data-ns='0'])")
    shown.get_by_role("button", name="Pause").click()
    stopped = clock_ns(shown)
    shown.wait_for_timeout(150)
    assert clock_ns(shown) == stopped


def test_the_animation_starts_unless_reduced_motion_is_preferred(locked, opened):
    moving = opened(locked, motion="no-preference")
    moving.wait_for_selector("#clock[data-ns]:not([data-ns='0'])")
    still = opened(locked)
    still.wait_for_timeout(150)
    assert clock_ns(still) == 0


def test_slow_motion_is_slower(locked, opened):
    shown = opened(locked)
    labels = shown.locator("#speed option").all_inner_texts()
    assert all(label.endswith("a second") for label in labels)
    gone = []
    for speed in (0, 3):
        shown.evaluate("seek(0)")
        shown.locator("#speed").select_option(str(speed))
        shown.evaluate("play(true); tick(0); for (let at = 10; at <= 200; at += 10) tick(at); play(false)")
        gone.append(shown.evaluate("now"))
    speeds = locked.record()["speeds"]
    assert gone == pytest.approx([0.2 * speeds[0], 0.2 * speeds[3]])


def test_keys_play_step_jump_and_change_the_speed(locked, opened):
    shown = opened(locked)
    keyboard = shown.keyboard
    changes = sorted({stay.begin_ns - locked.begin_ns for dot in locked.dots for stay in dot.stays} - {0})
    keyboard.press("ArrowRight")
    assert clock_ns(shown) == changes[0]
    keyboard.press("ArrowRight")
    assert clock_ns(shown) == changes[1]
    keyboard.press("ArrowLeft")
    assert clock_ns(shown) == changes[0]
    keyboard.press("End")
    assert clock_ns(shown) == locked.end_ns - locked.begin_ns
    keyboard.press("Home")
    assert clock_ns(shown) == 0
    before = int(shown.locator("#speed").input_value())
    keyboard.press("ArrowDown")
    assert int(shown.locator("#speed").input_value()) == before - 1
    keyboard.press(" ")
    shown.wait_for_selector("#clock[data-ns]:not([data-ns='0'])")
    keyboard.press(" ")
    assert shown.locator("#play").inner_text() == "Play"


def test_request_shows_its_step_and_can_be_followed(locked, opened):
    shown = opened(locked)
    seek(shown, 0.5)
    holder = shown.locator('[data-dot][data-state="s"]').first
    holder.hover()
    about = shown.locator("#about")
    assert "request" in about.inner_text()
    assert "holds file lock (exclusive)" in about.inner_text()
    assert "since" in about.inner_text()
    holder.click()
    shown.locator("h1").hover()
    assert "holds file lock" in about.inner_text()
    shown.keyboard.press("Escape")
    assert about.inner_text().startswith("Point at a request")
    shown.keyboard.press("n")
    focused = shown.evaluate("document.activeElement.dataset.dot")
    assert focused is not None
    assert shown.locator(f'[data-dot="{focused}"]').get_attribute("aria-label") == about.inner_text()


def test_a_lock_shows_who_holds_it_and_how(locked, opened):
    shown = opened(locked)
    seek(shown, 0.5)
    lock = shown.locator("g.row.lock")
    assert "held exclusively" in lock.text_content()
    assert shown.locator("text.mode").all_text_contents() == ["X"]
    assert shown.locator(".held.exclusive").count() == 1


def test_dark_scheme_has_a_dark_background(locked, opened):
    light, dark = (
        opened(locked, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    )
    assert light == "rgb(255, 255, 255)"
    assert dark == "rgb(17, 21, 26)"
