"use strict";
// The clock, and what moves it: buttons, keys, the scrubber.

const times = changes();
const byId = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const playButton = byId("play");
const scrubber = byId("scrubber");
const speed = byId("speed");
const clock = byId("clock");
const about = byId("about");
const SCRUBS = 10000;
const HINT = "Point at a request to read what it does; click to follow it.";

let now = 0;
let playing = false;
let last = null; // the time of the last picture, in milliseconds of ours
let followed = null;

function show(passed) {
  const scene = sceneAt(now);
  draw(scene, still.matches ? null : passed);
  clock.textContent = clockText(now);
  clock.dataset.ns = Math.round(now);
  scrubber.value = Math.round((now / film.end) * SCRUBS);
  scrubber.setAttribute("aria-valuetext", clockText(now));
  const waiting = scene.dots.filter(({ state }) => "wg".includes(state)).length;
  const served = scene.dots.filter(({ state }) => state === "s").length;
  byId("totals").textContent = `${scene.dots.length} under way: ${waiting} wait, ${served} served`;
  tell(scene);
}

function tell(scene) {
  const drawn = pointed === null ? null : scene.dots.find(({ id }) => id === pointed);
  const gone = pointed === null ? HINT : "The request that you follow is not under way at this time.";
  const text = drawn ? story(drawn, now).text : gone;
  if (about.textContent !== text) about.textContent = text;
}

function seek(time) {
  now = Math.max(0, Math.min(film.end, time));
  show(null);
}

function play(on) {
  if (on && now >= film.end) seek(0);
  playing = on;
  playButton.textContent = on ? "Pause" : "Play";
  playButton.setAttribute("aria-pressed", on);
  last = null;
  about.setAttribute("aria-live", on ? "off" : "polite");
  if (on) requestAnimationFrame(tick);
}

function tick(at) {
  if (!playing) return;
  const passed = last === null ? 0 : Math.min(100, at - last);
  last = at;
  now = Math.min(film.end, now + (passed / 1000) * film.speeds[speed.value]);
  show(passed);
  if (now >= film.end) play(false);
  else requestAnimationFrame(tick);
}

/** To the next time at which something changes, or the last one before. */
function step(forward) {
  play(false);
  const next = forward ? times.find((time) => time > now) : times.findLast((time) => time < now);
  if (next === undefined) return;
  now = next;
  show(null);
}

function faster(by) {
  speed.value = Math.max(0, Math.min(film.speeds.length - 1, Number(speed.value) + by));
}

function point(id) {
  pointed = id ?? followed;
  show(null);
}

/** The next dot, in the order in which they are drawn, gets the focus. */
function neighbour(by) {
  const ids = [...shown.keys()].sort((one, other) => one - other);
  if (!ids.length) return;
  const at = ids.indexOf(pointed);
  const id = ids[(at + by + ids.length) % ids.length];
  shown.get(id).element.focus();
  point(id);
}

const KEYS = {
  " ": () => play(!playing),
  ArrowRight: () => step(true),
  ArrowLeft: () => step(false),
  ArrowUp: () => faster(1),
  ArrowDown: () => faster(-1),
  Home: () => seek(0),
  End: () => seek(film.end),
  n: () => neighbour(1),
  p: () => neighbour(-1),
  Escape: () => {
    document.activeElement.blur();
    follow(null);
  },
};

function follow(id) {
  followed = followed === id ? null : id;
  point(followed);
}

function start() {
  film.speeds.forEach((ns, number) => speed.append(new Option(`${lengthText(ns)} a second`, number)));
  speed.value = film.speed;
  scrubber.max = SCRUBS;
  playButton.addEventListener("click", () => play(!playing));
  byId("back").addEventListener("click", () => step(false));
  byId("on").addEventListener("click", () => step(true));
  scrubber.addEventListener("input", () => seek((scrubber.value / SCRUBS) * film.end));
  document.addEventListener("keydown", (event) => {
    const button = event.key === " " && event.target instanceof HTMLButtonElement;
    const choosing = event.target === speed && event.key.startsWith("Arrow");
    if (event.ctrlKey || event.metaKey || event.altKey || button || choosing || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  const dotOf = (event) => event.target.closest?.("[data-dot]");
  const idOf = (event) => (dotOf(event) ? Number(dotOf(event).dataset.dot) : null);
  stage.addEventListener("pointerover", (event) => point(idOf(event)));
  stage.addEventListener("pointerleave", () => point(null));
  stage.addEventListener("focusin", (event) => point(idOf(event)));
  stage.addEventListener("click", (event) => follow(idOf(event)));
  new ResizeObserver(() => {
    layOut();
    show(null);
  }).observe(stage.parentElement);
  layOut();
  show(null);
  if (!still.matches) play(true);
}

start();
