"use strict";
// What is where at a time: read from the film, nothing drawn.

const film = JSON.parse(document.getElementById("film").textContent);
const NOT_STATION = ["lock", "pool"];

function rowOf(place) {
  return film.places[place].row;
}

/** The stay of a dot at time t, or null. */
function stayAt(dot, t) {
  if (t < dot.begin || t >= dot.end) return null;
  let low = 0;
  let high = dot.stays.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (dot.stays[middle][0] <= t) low = middle + 1;
    else high = middle;
  }
  if (!low) return null;
  const [since, state, place, batch] = dot.stays[low - 1];
  return { since, state, place, batch, row: rowOf(place) };
}

/** Everything at time t: the dots that are somewhere, and what each row has. */
function sceneAt(t) {
  const rows = film.rows.map(() => ({ waiting: [], served: [], gathered: [], idle: [], holds: [], batches: [] }));
  const kinds = { w: "waiting", s: "served", d: "served", j: "served", g: "gathered", i: "idle" };
  const dots = [];
  film.dots.forEach((dot, id) => {
    const stay = stayAt(dot, t);
    if (!stay) return;
    const drawn = { id, dot, ...stay };
    dots.push(drawn);
    rows[stay.row][kinds[stay.state]].push(drawn);
    dot.holds.forEach((hold, number) => {
      const [place, exclusive, begin, end, amount] = hold;
      if (begin > t || t >= end || film.rows[rowOf(place)].kind === "gate") return;
      const here = stay.state === "d" && stay.place === place;
      rows[rowOf(place)].holds.push({ id, number, exclusive, amount, here });
    });
  });
  film.batches.forEach(([place, by, begin, end], number) => {
    if (begin <= t && t < end) rows[rowOf(place)].batches.push({ number, by, begin });
  });
  for (const row of rows) row.waiting.sort((one, other) => one.since - other.since || one.id - other.id);
  return { t, rows, dots };
}

/** The times at which anything changes, in order. */
function changes() {
  const times = new Set([0, film.end]);
  for (const dot of film.dots) {
    times.add(dot.begin).add(dot.end);
    for (const stay of dot.stays) times.add(stay[0]);
  }
  return [...times].filter((time) => time >= 0 && time <= film.end).sort((one, other) => one - other);
}

/** Who is served or holds something in a row, each from when to when: what takes a slot there. */
function occupations(row) {
  const { kind } = film.rows[row];
  const taken = [];
  film.dots.forEach((dot, id) => {
    dot.stays.forEach(([begin, state, place], number) => {
      if (rowOf(place) !== row || NOT_STATION.includes(kind) || !"sdj".includes(state)) return;
      const end = number + 1 < dot.stays.length ? dot.stays[number + 1][0] : dot.end;
      taken.push({ key: `${id}:${begin}`, begin, end });
    });
    dot.holds.forEach(([place, , begin, end], number) => {
      if (rowOf(place) === row && NOT_STATION.includes(kind)) taken.push({ key: `${id}/${number}`, begin, end });
    });
  });
  if (kind !== "gate") return taken;
  return film.batches.flatMap(([place, , begin, end], number) =>
    rowOf(place) === row && end > begin ? [{ key: `batch ${number}`, begin, end }] : [],
  );
}

/** A slot for each of them, the lowest that is free; and how many slots there are. */
function slotsOf(row) {
  const ends = [];
  const slots = new Map();
  for (const { key, begin, end } of occupations(row).sort((one, other) => one.begin - other.begin)) {
    let slot = ends.findIndex((free) => free <= begin);
    if (slot < 0) slot = ends.push(0) - 1;
    ends[slot] = end;
    slots.set(key, slot);
  }
  return { slots, most: ends.length };
}

/** The most that ever wait in a row at one time, or are in one batch there. */
function crowding() {
  const most = film.rows.map(() => ({ waiting: 0, batch: 0 }));
  const steps = film.rows.map(() => []);
  const batches = film.batches.map(() => 0);
  for (const dot of film.dots) {
    dot.stays.forEach(([begin, state, place, batch], number) => {
      if (state === "g") most[rowOf(place)].batch = Math.max(most[rowOf(place)].batch, ++batches[batch]);
      if (state !== "w") return;
      const end = number + 1 < dot.stays.length ? dot.stays[number + 1][0] : dot.end;
      steps[rowOf(place)].push([begin, 1], [end, -1]);
    });
  }
  steps.forEach((list, row) => {
    let waiting = 0;
    for (const [, by] of list.sort((one, other) => one[0] - other[0] || one[1] - other[1])) {
      waiting += by;
      most[row].waiting = Math.max(most[row].waiting, waiting);
    }
  });
  return most;
}

const UNIT = film.end >= 1e7 ? { name: "ms", ns: 1e6 } : { name: "µs", ns: 1e3 };

/** A time of the clock, in its unit. */
function clockText(ns) {
  return `${(ns / UNIT.ns).toFixed(UNIT.ns === 1e6 ? 3 : 1)} ${UNIT.name}`;
}

/** A length of time as people write it. */
function lengthText(ns) {
  const [name, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, each]) => ns >= each) || ["ns", 1];
  return `${numberText(ns / size)} ${name}`;
}

/** What a request does, in words. */
function story({ dot, state, place, since, id }, t) {
  const name = film.places[place].name;
  const verbs = { w: `waits for ${name}`, s: `is served by ${name}`, g: `is in a batch at ${name}` };
  const row = film.rows[rowOf(place)];
  const passing = row.kind === "time" ? "lets time pass" : `lets time pass, holding ${name}`;
  const does = { ...verbs, d: passing, j: "waits for its branches", i: `waits for others to come to ${name}` }[state];
  const who = `${dot.group} ${dot.parent === null ? "request" : "branch of request"} ${dot.number} (${dot.client})`;
  const holds = dot.holds.filter(([at, , begin, end]) => begin <= t && t < end && at !== place);
  const also = holds.map(([at, exclusive]) => film.places[at].name + (exclusive ? " (exclusive)" : ""));
  const held = also.length ? `; it holds ${also.join(" and ")}` : "";
  return { id, text: `${who} ${does}, since ${lengthText(t - since)}${held}.` };
}
