// Draws the record of a Chart (chart.py) into an element of a page: curves with bands, published points as hollow
// diamonds, knees as rings, a text for each point on hover and focus, and a table for those who cannot see it.
// Colours, dashes and fonts are classes of chart.css. A page contains it behind number.js, or serves both.

import {numberText} from "./number.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = {top: 14, right: 18, bottom: 48, left: 36}; // at the left the label; the longest number is added
const DIGIT = 7.5; // pixels
const KINDS = 8; // of curves: colours, dashes and marks
const BANDS = KINDS; // so many curves have translucent bands; of more, they pile up and hide the lines
const TALLEST = 2.5; // an interval is cut off above so many times the largest value, so that the curves can be read
const MARKS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "M-3.6 -3.6h7.2v7.2h-7.2Z", "M0 -4.6L4.4 3.6H-4.4Z", "M0 4.6L4.4 -3.6H-4.4Z",
  "M0 -5L5 0L0 5L-5 0Z", "M-4 -1.5H-1.5V-4H1.5V-1.5H4V1.5H1.5V4H-1.5V1.5H-4Z", "M-4.5 0L0 -3L4.5 0L0 3Z",
  "M-2 -4.5H2V4.5H-2Z",
];

// `chart` is the record; `here` the place along the x axis that is marked as where the design is, if any; `highest` a
// value up to which the y axis goes at least, so that it stays as it is while curves change.
export function drawChart(box, chart, here = null, highest = -Infinity) {
  const open = box.querySelector("details")?.open ?? false; // what was unfolded, and had the focus, has it again
  const focused = [...box.querySelectorAll("[role=img]")].indexOf(document.activeElement);
  box.replaceChildren();
  box.classList.add("chart");
  const width = Math.max(260, box.clientWidth || 640), height = Math.min(380, Math.max(240, width * 0.5));
  const frame = frameOf(chart, width, height, highest);
  const svg = add(box, "svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": chart.title});
  drawAxes(svg, chart, frame);
  if (here !== null) drawHere(svg, frame, here);
  const tip = document.createElement("output");
  tip.className = "chart-tip";
  tip.hidden = true;
  const marks = [];
  if (banded(chart)) chart.curves.forEach((curve, number) => drawBand(svg, chart, frame, curve, number));
  chart.curves.forEach((curve, number) => marks.push(...drawCurve(svg, chart, frame, curve, number)));
  chart.published.forEach(points => marks.push(...drawPublished(svg, chart, frame, points)));
  marks.forEach(mark => listen(mark, marks, box, tip));
  if (marks.length) marks[0].setAttribute("tabindex", "0");
  box.append(legendOf(chart, frame), tip, tableOf(chart, open));
  marks[focused]?.focus();
}

function add(parent, name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

// Where values lie: functions from a value to a pixel, and the ends of both axes.
function frameOf(chart, width, height, highest) {
  const x = endsOf(chart.curves.flatMap(curve => curve.x).concat(chart.published.flatMap(points => points.x)));
  const values = chart.curves.flatMap(curve => curve.y).concat(chart.published.flatMap(points => points.y));
  const y = endsOf(values.concat(chart.curves.flatMap(curve => [...(curve.low ?? []), ...(curve.high ?? [])])));
  const most = Math.max(TALLEST * endsOf(values)[1], highest), cut = !chart.y.logarithmic && y[1] > most && most > 0;
  y[1] = cut ? most : Math.max(y[1], highest);
  if (!chart.y.logarithmic) { y[0] = Math.min(0, y[0]); y[1] += cut ? 0 : (y[1] - y[0]) * 0.06 || 1; }
  if (chart.x.kinds) { x[0] -= 0.5; x[1] += 0.5; }
  const longest = Math.max(...ticksOf(chart.y, y, 5).map(value => tickOf(value).length));
  const left = MARGIN.left + DIGIT * longest, right = width - MARGIN.right, top = MARGIN.top, bottom = height - MARGIN.bottom;
  const inset = chart.x.kinds ? 0 : 10;
  return {
    x, y, left, right, top, bottom, cut,
    toX: scale(x, [left + inset, right - inset], chart.x.logarithmic && x[0] > 0),
    toY: scale(y, [bottom, top], chart.y.logarithmic && y[0] > 0),
  };
}

function endsOf(values) {
  const known = values.filter(value => value !== null);
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
}

function scale([low, high], [from, to], logarithmic) {
  const place = logarithmic ? Math.log : value => value;
  const span = place(high) - place(low);
  return value => span ? from + (to - from) * (place(value) - place(low)) / span : (from + to) / 2;
}

function drawAxes(svg, chart, frame) {
  const axes = add(svg, "g", {class: "chart-axes", "aria-hidden": "true"});
  for (const value of ticksOf(chart.y, frame.y, 5)) {
    const y = frame.toY(value);
    add(axes, "line", {class: "chart-grid", x1: frame.left, x2: frame.right, y1: y, y2: y});
    add(axes, "text", {x: frame.left - 8, y: y + 4, "text-anchor": "end"}, tickOf(value));
  }
  let free = -Infinity;
  for (const [value, text] of namesOf(chart.x, frame.x)) {
    const x = frame.toX(value), half = 3.6 * text.length;
    add(axes, "line", {class: "chart-tick", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 4});
    if (x - half < free) continue; // it would cover the one before
    add(axes, "text", {x, y: frame.bottom + 18, "text-anchor": "middle"}, text);
    free = x + half + 6;
  }
  add(axes, "line", {class: "chart-axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom});
  add(axes, "line", {class: "chart-axis", x1: frame.left, x2: frame.left, y1: frame.top, y2: frame.bottom});
  add(axes, "text", {class: "chart-label", x: (frame.left + frame.right) / 2, y: frame.bottom + 38, "text-anchor": "middle"}, titleOf(chart.x));
  const middle = (frame.top + frame.bottom) / 2;
  add(axes, "text", {class: "chart-label", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})`}, titleOf(chart.y));
}

function titleOf(axis) {
  return axis.unit ? `${axis.label} (${axis.unit})` : axis.label;
}

// The places that are named along an axis, each with its text.
function namesOf(axis, ends) {
  if (axis.named) return Object.entries(axis.named).map(([value, text]) => [Number(value), text]).sort((a, b) => a[0] - b[0]);
  return ticksOf(axis, ends, 6).map(value => [value, tickOf(value)]);
}

// Round numbers between the ends of an axis.
function ticksOf(axis, [low, high], count) {
  if (axis.logarithmic && low > 0) {
    const powers = [];
    for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high) + 1e-9; power++) powers.push(10 ** power);
    if (powers.length > 1) return powers;
  }
  const rough = (high - low) / count || 1, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find(factor => factor * unit >= rough * 0.999);
  const ticks = [];
  for (let number = Math.ceil(low / step); number * step <= high * (1 + 1e-9); number++) ticks.push(number * step);
  return ticks;
}

// Round numbers have as many digits as they need.
function tickOf(value) {
  return numberText(value, 10);
}

function textOf(value) {
  return value === null ? "not known" : numberText(value);
}

function drawHere(svg, frame, here) {
  const x = frame.toX(here);
  add(svg, "line", {class: "chart-here", x1: x, x2: x, y1: frame.top, y2: frame.bottom});
}

// Runs of points that are known, between gaps.
function runsOf(curve, known) {
  const runs = [[]];
  curve.x.forEach((_, index) => known(index) ? runs.at(-1).push(index) : runs.push([]));
  return runs.filter(run => run.length);
}

// Whether intervals are drawn: there are some, and not of too many curves. The table has them all.
function banded(chart) {
  return chart.curves.length <= BANDS && chart.curves.some(curve => (curve.low ?? []).some(value => value !== null));
}

function drawBand(svg, chart, frame, curve, number) {
  const low = curve.low ?? [], high = curve.high ?? [];
  const known = index => (low[index] ?? null) !== null && (high[index] ?? null) !== null;
  for (const run of runsOf(curve, known)) {
    const above = run.map(index => `${frame.toX(curve.x[index])},${topOf(frame, high[index])}`);
    const below = run.map(index => `${frame.toX(curve.x[index])},${frame.toY(low[index])}`).reverse();
    const kind = `chart-band curve-${number % KINDS}`;
    if (run.length > 1 && !chart.x.kinds) add(svg, "polygon", {class: kind, points: [...above, ...below].join(" ")});
    else run.forEach(index => {
      const x = placeOf(chart, frame, curve, number, index);
      add(svg, "line", {class: `chart-whisker curve-${number % KINDS}`, x1: x, x2: x, y1: frame.toY(low[index]), y2: topOf(frame, high[index])});
    });
  }
}

function topOf(frame, value) {
  return frame.toY(frame.cut ? Math.min(value, frame.y[1]) : value);
}

// Pixels of a point; marks of several curves over kinds stand beside each other.
function placeOf(chart, frame, curve, number, index) {
  const aside = chart.x.kinds ? (number - (chart.curves.length - 1) / 2) * 0.6 / chart.curves.length : 0;
  return frame.toX(curve.x[index] + aside);
}

function drawCurve(svg, chart, frame, curve, number) {
  const kind = `curve-${number % KINDS} dash-${Math.floor(number / KINDS) % 4}`;
  const known = index => curve.y[index] !== null;
  if (!chart.x.kinds) for (const run of runsOf(curve, known)) {
    const points = run.map(index => `${frame.toX(curve.x[index])},${frame.toY(curve.y[index])}`).join(" ");
    add(svg, "polyline", {class: `chart-line ${kind}${curve.dashed ? " chart-dashed" : ""}`, points});
  }
  return curve.x.map((_, index) => index).filter(known).map(index => {
    const x = placeOf(chart, frame, curve, number, index), y = frame.toY(curve.y[index]);
    if (curve.knee === index) add(svg, "circle", {class: "chart-knee", cx: x, cy: y, r: 10});
    const untested = curve.untested?.[index];
    const mark = add(svg, "path", {class: `chart-mark ${kind}${untested ? " untested" : ""}`, d: MARKS[number % KINDS], transform: `translate(${x} ${y})`});
    const knee = curve.knee === index ? "knee" : "";
    return named(mark, [curve.label, whereOf(chart, curve.x[index]), valueOf(chart, curve, index), knee, untested ? "extrapolated" : ""]);
  });
}

function drawPublished(svg, chart, frame, points) {
  const curve = {x: points.x};
  return points.x.map((_, index) => {
    const x = placeOf(chart, frame, curve, points.curve, index), y = frame.toY(points.y[index]);
    const mark = add(svg, "path", {class: `chart-published curve-${points.curve % KINDS}`, d: "M0 -7L6 0L0 7L-6 0Z", transform: `translate(${x} ${y})`});
    const half = points.half_width?.[index], rounding = half ? ` ± ${textOf(half)}` : "";
    return named(mark, ["published", whereOf(chart, points.x[index]), `${textOf(points.y[index])}${rounding} ${chart.y.unit}`]);
  });
}

function named(mark, words) {
  const text = words.filter(word => word).join(", ");
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", text);
  mark.setAttribute("tabindex", "-1");
  return mark;
}

function whereOf(chart, x) {
  const text = (chart.x.named && namesOf(chart.x).find(([value]) => value === x)?.[1]) ?? textOf(x);
  return `${chart.x.label} ${text}${chart.x.unit ? ` ${chart.x.unit}` : ""}`;
}

function valueOf(chart, curve, index) {
  const low = curve.low?.[index] ?? null, high = curve.high?.[index] ?? null;
  const interval = low !== null && high !== null ? ` (${textOf(low)} … ${textOf(high)})` : "";
  return `${textOf(curve.y[index])}${interval} ${chart.y.unit}`;
}

// The text of a mark is shown on hover and focus; arrows go from mark to mark.
function listen(mark, marks, box, tip) {
  const show = () => {
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const at = mark.getBoundingClientRect(), around = box.getBoundingClientRect();
    const left = Math.min(Math.max(0, at.left - around.left - tip.offsetWidth / 2), around.width - tip.offsetWidth);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${at.top - around.top - tip.offsetHeight - 8}px`;
  };
  const hide = () => { tip.hidden = true; };
  mark.addEventListener("pointerenter", show);
  mark.addEventListener("pointerleave", hide);
  mark.addEventListener("focus", show);
  mark.addEventListener("blur", hide);
  mark.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const next = marks[(marks.indexOf(mark) + step + marks.length) % marks.length];
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

function legendOf(chart, frame) {
  const legend = document.createElement("ul");
  legend.className = "chart-legend";
  const entry = (text, draw) => {
    const item = document.createElement("li"), svg = add(item, "svg", {viewBox: "0 0 34 16", width: 34, height: 16, "aria-hidden": "true"});
    draw(svg);
    item.append(text);
    legend.append(item);
  };
  chart.curves.forEach((curve, number) => entry(curve.label, svg => {
    const kind = `curve-${number % KINDS} dash-${Math.floor(number / KINDS) % 4}`;
    if (!chart.x.kinds) add(svg, "line", {class: `chart-line ${kind}${curve.dashed ? " chart-dashed" : ""}`, x1: 1, x2: 33, y1: 8, y2: 8});
    if (curve.y.some(value => value !== null)) add(svg, "path", {class: `chart-mark ${kind}`, d: MARKS[number % KINDS], transform: "translate(17 8)"});
  }));
  if (banded(chart)) entry(`${chart.band || "interval"}${frame.cut ? ", cut off at the top" : ""}`, svg => add(svg, "rect", {class: "chart-band curve-0", x: 1, y: 2, width: 32, height: 12}));
  if (chart.published.length) entry("published", svg => add(svg, "path", {class: "chart-published", d: "M0 -7L6 0L0 7L-6 0Z", transform: "translate(17 8)"}));
  if (chart.curves.some(curve => curve.untested?.some(each => each))) entry("extrapolated", svg => add(svg, "path", {class: "chart-mark untested", d: MARKS[0], transform: "translate(17 8)"}));
  if (chart.curves.some(curve => curve.knee !== null)) entry("knee", svg => add(svg, "circle", {class: "chart-knee", cx: 17, cy: 8, r: 7}));
  return legend;
}

// The same numbers as a table, folded.
function tableOf(chart, open) {
  const fold = document.createElement("details"), scroll = document.createElement("div"), table = document.createElement("table");
  fold.className = "chart-table";
  fold.open = open;
  const summary = document.createElement("summary");
  summary.textContent = "as a table";
  const row = (cells, kind) => {
    const line = table.insertRow();
    cells.forEach((text, index) => {
      const cell = document.createElement(kind === "th" || !index ? "th" : "td");
      cell.scope = kind === "th" ? "col" : "row";
      cell.textContent = text;
      line.append(cell);
    });
  };
  const published = chart.published.map(points => `published${chart.curves.length > 1 ? `, ${chart.curves[points.curve].label}` : ""}`);
  row([titleOf(chart.x), ...chart.curves.map(curve => `${curve.label} (${chart.y.unit})`), ...published], "th");
  const places = [...new Set([...chart.curves, ...chart.published].flatMap(each => each.x))].sort((a, b) => a - b);
  for (const x of places) row([
    whereOf(chart, x).slice(chart.x.label.length + 1),
    ...chart.curves.map(curve => curve.x.includes(x) ? valueOf(chart, curve, curve.x.indexOf(x)).replace(` ${chart.y.unit}`, "") : ""),
    ...chart.published.map(points => points.x.includes(x) ? textOf(points.y[points.x.indexOf(x)]) : ""),
  ]);
  scroll.append(table);
  fold.append(summary, scroll);
  return fold;
}
