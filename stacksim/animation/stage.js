"use strict";
// Draws a scene: rows of places with their queues and slots, and the dots between them.

const SVG = "http://www.w3.org/2000/svg";
const NO_SLOTS = ["time", "branches", "buffer"];
const MOST_LINES = 3;
const MOST_SLOTS = 64;
const GLIDE_MS = 70;
const GAP = 8; // between rows side by side

const stage = document.getElementById("stage");
const crowds = crowding();
const slotting = film.rows.map((_, row) => slotsOf(row));
const shown = new Map(); // of each dot that is drawn: its element, and where it is
let CELL = 24; // the side of what one dot stands in
let places = []; // of each row: where its parts are
let pointed = null; // the dot that is pointed at, or followed

function made(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

/** How many slots a row shows: its servers or tokens, or as many as are ever taken. */
function slotCount(row) {
  const { room, kind } = film.rows[row];
  const { most } = slotting[row];
  if (kind === "lock") return Math.max(1, most);
  return room && room <= MOST_SLOTS ? Math.max(room, most) : most;
}

/** Rows of one band stand side by side, as many as there is room for; so do others of which each needs little. */
function lines(width) {
  const bands = new Map();
  film.rows.forEach(({ band }, row) => bands.set(band, [...(bands.get(band) || []), row]));
  const found = [];
  let single = [];
  const flush = () => {
    while (single.length) found.push(single.splice(0, sideBySide(single, width)));
  };
  for (const rows of bands.values()) {
    if (rows.length === 1) {
      single.push(...rows);
      continue;
    }
    flush();
    const columns = Math.max(1, Math.min(rows.length, Math.floor(width / 210)));
    for (let at = 0; at < rows.length; at += columns) found.push(rows.slice(at, at + columns));
  }
  flush();
  return found;
}

/** How many of the first rows fit on one line, each with all its slots and all that ever wait there. */
function sideBySide(rows, width) {
  const fits = (columns) => rows.length >= columns && rows.slice(0, columns).every((row) => {
    const { queue, slots } = fit(row, (width - GAP * (columns - 1)) / columns);
    const needed = film.rows[row].kind === "gate" ? crowds[row].batch : slotCount(row);
    return crowds[row].waiting <= queue && needed <= slots;
  });
  return width < 640 ? 1 : [3, 2].find(fits) || 1;
}

/** Beside the queue stands the name, or above it where there is no room beside. */
function fit(row, width) {
  const { kind } = film.rows[row];
  const beside = width >= 640;
  const name = beside ? Math.round(width * 0.3) : 0;
  const queue = Math.max(1, Math.floor(((width - name - 30) * 0.42) / CELL));
  const slots = Math.max(1, Math.floor((width - name - 36) / CELL) - queue);
  const needed = kind === "gate" ? slotting[row].most : Math.ceil(slotCount(row) / slots);
  const high = Math.max(1, Math.ceil(crowds[row].waiting / queue), needed);
  return { queue, slots, name, head: beside ? 8 : 44, high: Math.min(MOST_LINES, high) };
}

/** Where everything is, for the present width of the page. */
function layOut() {
  const style = getComputedStyle(stage.parentElement);
  const free = stage.parentElement.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const width = Math.max(240, free); // of a page that is not shown yet, nothing is free
  CELL = width >= 640 ? 28 : 24;
  stage.replaceChildren();
  shown.clear();
  places = [];
  let y = 4;
  const band = made("g", {}, stage);
  for (const rows of lines(width)) {
    const each = (width - GAP * (rows.length - 1)) / rows.length;
    const fits = rows.map((row) => fit(row, each));
    const high = Math.max(...fits.map((each) => each.high));
    const height = Math.max(fits[0].head + CELL * high + 8, fits[0].name ? 52 : 0);
    rows.forEach((row, column) => {
      places[row] = frame(band, row, column * (each + GAP), y, each, height, { ...fits[column], high });
    });
    y += height + 10;
  }
  made("g", { id: "ghosts" }, stage);
  made("g", { id: "dots" }, stage);
  stage.setAttribute("viewBox", `0 0 ${width} ${y}`);
  stage.setAttribute("height", y);
}

/** The box of a row, its name, and room for its counters. */
function frame(parent, row, x, y, width, height, { queue, slots, name, head, high }) {
  const { kind, places: count } = film.rows[row];
  const group = made("g", { class: `row ${kind}`, role: "group", "data-row": row }, parent);
  made("rect", { x: x + 1, y, width: width - 2, height, rx: 8, class: "box" }, group);
  const title = made("text", { x: x + 12, y: y + 20, class: "name" }, group);
  const whole = film.rows[row].name + (count > 1 ? ` (${count})` : "");
  title.textContent = shortened(whole, (name || width) - 20, 8.8);
  made("title", {}, group).textContent = whole;
  const counter = made("text", { x: x + 12, y: y + 39, class: "count" }, group);
  const divider = x + name + 15 + queue * CELL;
  const top = y + (name ? (height - CELL * high) / 2 : head);
  const place = { group, counter, divider, top, queue, slots, high, right: x + width - 14 };
  if (!NO_SLOTS.includes(kind)) {
    made("line", { x1: divider, x2: divider, y1: top - 2, y2: top + CELL * high + 2, class: "divider" }, group);
    const seats = kind === "gate" ? 0 : Math.min(slotCount(row), slots * high);
    for (let slot = 0; slot < seats; slot += 1) made("rect", { ...square(slotAt(place, slot), -2), class: "slot" }, group);
  }
  const below = { y: top + CELL * high - 8, class: "more" };
  place.more = made("text", { x: x + name + 8, ...below }, group);
  place.rest = made("text", { x: x + width - 8, "text-anchor": "end", ...below }, group);
  return place;
}

function shortened(text, width, letter) {
  const most = Math.floor(width / letter);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function slotAt({ divider, top, slots, high }, slot) {
  if (slot >= slots * high) return null;
  return { x: divider + 8 + CELL * (slot % slots) + CELL / 2, y: top + CELL * Math.floor(slot / slots) + CELL / 2 };
}

/** The first in a queue stands at the divider. */
function queueAt({ divider, top, queue, high }, index) {
  if (index >= queue * high) return null;
  return { x: divider - 4 - CELL * (index % queue) - CELL / 2, y: top + CELL * Math.floor(index / queue) + CELL / 2 };
}

function plus(count) {
  return count ? `+${count}` : "";
}

/** Where each dot of a scene is to be; those for whom there is no room are left out. */
function targets(scene) {
  const at = new Map();
  scene.rows.forEach((content, row) => {
    const place = places[row];
    const { slots } = slotting[row];
    content.waiting.forEach((drawn, index) => at.set(drawn.id, queueAt(place, index)));
    for (const drawn of content.served) {
      const holding = content.holds.find(({ id, here }) => here && id === drawn.id);
      const key = holding ? `${drawn.id}/${holding.number}` : `${drawn.id}:${drawn.since}`;
      at.set(drawn.id, slotAt(place, slots.get(key)));
    }
    content.idle.forEach((drawn, index) => at.set(drawn.id, { x: place.right - 12 - CELL * index, y: place.top + 12 }));
    content.batches.forEach(({ number }) => {
      const members = content.gathered.filter(({ batch }) => batch === number);
      const line = slots.get(`batch ${number}`) || 0;
      members.forEach((drawn, index) =>
        at.set(drawn.id, index < place.slots && line < place.high ? slotAt(place, line * place.slots + index) : null),
      );
    });
    const hidden = (list) => list.filter(({ id }) => !at.get(id)).length;
    place.more.textContent = plus(hidden(content.waiting));
    place.rest.textContent = plus(hidden([...content.served, ...content.gathered, ...content.idle]));
  });
  return at;
}

const SHAPES = { w: "square", g: "square hollow", s: "disc", d: "disc hollow", j: "ring", i: "ring" };

function dress(element, { dot, state, place }) {
  const branch = dot.parent === null ? "" : " branch";
  const other = dot.group === film.watched ? "" : " other";
  element.setAttribute("class", `dot ${SHAPES[state]}${branch}${other}`);
  element.dataset.state = state;
  element.dataset.row = rowOf(place);
}

/** The element of a dot: a square and a disc, of which its state shows one. */
function newDot(id) {
  const element = made("g", { "data-dot": id, tabindex: -1, role: "img" });
  made("rect", { x: -8, y: -8, width: 16, height: 16, rx: 2 }, element);
  made("circle", { r: 8.5 }, element);
  return { element, x: 0, y: 0 };
}

/** Draw a scene; dots glide for ``passed`` milliseconds of our time, or are at once where they belong. */
function draw(scene, passed) {
  const at = targets(scene);
  const share = passed === null ? 1 : 1 - Math.exp(-passed / GLIDE_MS);
  const layer = document.getElementById("dots");
  const seen = new Set();
  for (const drawn of scene.dots) {
    const to = at.get(drawn.id);
    if (!to) continue;
    seen.add(drawn.id);
    let state = shown.get(drawn.id);
    if (!state) {
      state = { ...newDot(drawn.id), ...birthplace(drawn, to, at, passed) };
      shown.set(drawn.id, state);
      layer.append(state.element);
    }
    state.x += (to.x - state.x) * share;
    state.y += (to.y - state.y) * share;
    const where = `translate(${state.x.toFixed(1)} ${state.y.toFixed(1)}) scale(${CELL / 24})`;
    state.element.setAttribute("transform", where);
    dress(state.element, drawn);
    state.element.setAttribute("aria-label", story(drawn, scene.t).text);
  }
  for (const [id, { element }] of shown) {
    if (seen.has(id)) continue;
    element.remove();
    shown.delete(id);
  }
  scene.rows.forEach(count);
  ghosts(scene);
  light();
}

/** A branch comes out of its parent, a request from above. */
function birthplace({ dot }, to, at, passed) {
  if (passed === null) return to;
  const parent = dot.parent === null ? null : shown.get(dot.parent) || at.get(dot.parent);
  return parent ? { x: parent.x, y: parent.y } : { x: to.x, y: to.y - 30 };
}

/** What is held by those who are elsewhere, and the boxes of batches. */
function ghosts(scene) {
  const layer = document.getElementById("ghosts");
  layer.replaceChildren();
  scene.rows.forEach(({ holds, batches }, row) => {
    const { slots } = slotting[row];
    for (const { id, number, exclusive, here } of holds) {
      const at = slotAt(places[row], slots.get(`${id}/${number}`));
      if (!at) continue;
      const lock = film.rows[row].kind === "lock";
      made("rect", { ...square(at), "data-of": id, class: `held ${exclusive ? "exclusive" : ""}` }, layer);
      if (lock && !here) made("text", { x: at.x, y: at.y + 5, class: "mode" }, layer).textContent = exclusive ? "X" : "S";
    }
    for (const { number, by } of batches) {
      const at = slotAt(places[row], (slots.get(`batch ${number}`) || 0) * places[row].slots);
      if (!at) continue;
      const width = CELL * Math.max(1, Math.min(places[row].slots, crowds[row].batch)) + 2;
      made("rect", { ...square(at), width, "data-of": by, class: "batch" }, layer);
    }
  });
}

/** The box around a dot, so much larger than its cell. */
function square({ x, y }, larger = 0) {
  const side = CELL + larger;
  return { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 6 };
}

/** The counters of a row, in words. */
function count({ waiting, served, gathered, holds, batches }, row) {
  const { kind, room } = film.rows[row];
  const mode = holds.some((hold) => hold.exclusive) ? "held exclusively" : `held by ${holds.length}, shared`;
  const here = served.length;
  const tokens = holds.reduce((sum, hold) => sum + hold.amount, 0);
  const words = {
    station: `${here} of ${room.toLocaleString("en")} served`,
    pool: `${tokens} of ${room.toLocaleString("en")} held`,
    lock: holds.length ? mode : "free",
    gate: batches.length ? `${gathered.length} in ${batches.length} ${batches.length === 1 ? "batch" : "batches"}` : "no batch",
    buffer: "",
    time: `${here} at no place`,
    branches: `${here} here`,
  };
  const queue = kind === "time" || kind === "branches" ? "" : `${waiting.length} wait`;
  const text = [queue, words[kind]].filter(Boolean).join(" · ");
  const { counter, group } = places[row];
  if (counter.textContent !== text) counter.textContent = text;
  counter.classList.toggle("busy", waiting.length > 0);
  group.dataset.waiting = waiting.length;
  group.dataset.served = NOT_STATION.includes(kind) ? holds.length : here;
  group.setAttribute("aria-label", `${film.rows[row].name}, ${kind}: ${text}`);
}

/** Mark the dot that is pointed at, its family, and what it holds. */
function light() {
  const family = pointed === null ? null : film.dots[pointed].parent ?? pointed;
  for (const [id, { element }] of shown) {
    element.classList.toggle("pointed", id === pointed);
    element.classList.toggle("family", family !== null && id !== pointed && (film.dots[id].parent ?? id) === family);
  }
  for (const element of document.querySelectorAll("[data-of]")) {
    element.classList.toggle("pointed", Number(element.dataset.of) === pointed);
  }
}
