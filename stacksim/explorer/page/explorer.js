// The page: a move of a control changes the state, the state is asked about, and the answers are shown. While
// something moves, answers come at once; a moment after the last move they are simulated, and the address keeps them.

import {ask, askOnce} from "./ask.js";
import {drawChart} from "./chart.js";
import {drawControls, element, fillControls, showFaults} from "./controls.js";
import {saveResults} from "./save.js";
import {showAnswers, showBrief, showCommands, showHeroes, showHours, spoken} from "./show.js";
import {showStacks} from "./stack.js";
import {copyOf, fromFragment, newDesign, toFragment} from "./state.js";

const REST_MS = 350; // without a move, after which is simulated
const LOOK_MS = 1500; // between two looks at a stack file
const at = id => document.getElementById(id);

let state, systems = {}, first = "", version = "", move = 0, stop = new AbortController(), resting = 0;
const forms = {}; // by system
const known = {A: {}, B: {}}; // of each side the last record, the design that it is of, and why there is no better one
let compared = {about: ""}; // the difference of two designs, and which they are
let chart = null, drawn = ""; // the last curve, and what it was asked about

const sides = () => Object.keys(state.sides).filter(side => state.sides[side]);
const form = () => forms[state.sides[state.active].system];
const boxes = () => [at("settings"), at("parameters")];

async function begin() {
  const record = await askOnce("systems", {});
  if (record.error) { at("system-error").textContent = record.error; return; }
  ({systems, first, version} = record);
  Object.keys(systems).forEach(name => at("system").add(new Option(name.split(/[\\/]/).pop(), name)));
  state = fromFragment(location.hash, first);
  wire();
  await restart(true);
}

// Leave the field that has the focus, while the state is still its own: to remove it would be to change a value. Calls
// `change`, and gives the focus back if the field is there again.
async function redesign(change, fromAddress = false) {
  const field = document.activeElement, id = boxes().some(box => box.contains(field)) ? field.id : "";
  if (id) field.blur();
  unsettle();
  change();
  await restart(fromAddress);
  if (id) at(id)?.focus();
}

// Draw the controls anew, for another system, another side or another address; then ask.
async function restart(fromAddress = false) {
  for (const side of sides()) {
    const name = state.sides[side].system;
    if (!forms[name]) forms[name] = await askOnce("form", {system: name});
    if (forms[name].error) { at("system-error").textContent = forms[name].error; delete forms[name]; return; }
  }
  drawDesign();
  if (!fromAddress) answer(false);
  rest(fromAddress);
}

function drawDesign() {
  const design = state.sides[state.active], {title, settings, parameters} = form();
  at("system-error").textContent = "";
  at("system").value = at("system").title = design.system;
  at("system-title").textContent = title;
  drawControls(at("settings"), settings, "setting", moved("settings"));
  drawControls(at("parameters"), parameters, "parameter", moved("parameters"));
  at("parameter-fold").hidden = !parameters.length;
  const several = Boolean(state.sides.B);
  at("compare").setAttribute("aria-pressed", several);
  at("compare").textContent = several ? "One design" : "Compare two designs";
  at("sides").hidden = !several;
  at("sides").querySelectorAll("button").forEach(each => each.setAttribute("aria-pressed", each.dataset.side === state.active));
  drawOver(settings, parameters);
  fill();
}

function drawOver(settings, parameters) {
  const usable = [...settings, ...parameters].filter(entry => entry.stops.length > 1);
  if (!usable.some(entry => entry.name === state.over)) state.over = usable.find(entry => entry.kind === "number")?.name ?? "";
  const group = (label, entries) => {
    const options = element("optgroup");
    options.label = label;
    entries.filter(entry => usable.includes(entry)).forEach(entry => options.append(new Option(entry.name, entry.name)));
    return options;
  };
  at("over").replaceChildren(group("settings", settings), group("parameters", parameters));
  at("over").value = state.over;
}

function fill(typing = null) {
  const design = state.sides[state.active], {settings, parameters} = form();
  fillControls(at("settings"), settings, design.settings, typing);
  fillControls(at("parameters"), parameters, design.parameters, typing);
  const changed = Object.keys(design.parameters).length;
  at("parameter-summary").textContent = `Parameters (${parameters.length})${changed ? `, ${changed} changed` : ""}`;
}

// What a control calls. A text that is being typed is asked about after a rest: half of it is mostly wrong.
function moved(group) {
  return (name, text, typing = false) => {
    const values = state.sides[state.active][group], entry = form()[group].find(each => each.name === name);
    const before = values[name];
    if (text === entry.default || text === "") delete values[name];
    else values[name] = text;
    fill(typing ? name : null);
    if (values[name] === before) return;
    unsettle();
    if (!typing) answer(false);
    rest();
  };
}

// What is at work is about an earlier state.
function unsettle() {
  stop.abort();
  delete at("results").dataset.settled;
}

// A moment after the last move ask carefully, and keep the state in the address; a state from there is not kept again.
function rest(fromAddress = false) {
  clearTimeout(resting);
  resting = setTimeout(() => {
    const fragment = toFragment(state);
    if (fromAddress) history.replaceState(null, "", fragment);
    else if (fragment !== location.hash) history.pushState(null, "", fragment);
    answer(true);
  }, fromAddress ? 0 : REST_MS);
}

async function answer(carefully) {
  stop.abort();
  stop = new AbortController();
  const {signal} = stop, asking = ++move, began = performance.now(), results = at("results");
  show();
  const followed = Promise.all(sides().map(side => follow(side, asking, signal, carefully)));
  if (!carefully) await followed; // first the answer, then the curve
  if (signal.aborted) return;
  if (!carefully) results.dataset.milliseconds = Math.round(performance.now() - began);
  const curve = drawCurve(asking, signal, carefully);
  await followed;
  if (signal.aborted || !carefully) return;
  results.dataset.settled = asking;
  at("status").textContent = spoken(shown());
  await Promise.all([curve, compareBoth(asking, signal)]);
}

// By how much two designs differ is known once pairs of runs have been compared.
async function compareBoth(asking, signal) {
  if (!state.sides.B || compared.about === aboutBoth()) return;
  const about = aboutBoth(), designs = sides().map(side => state.sides[side]);
  for await (const record of ask("comparison", {designs, move: asking}, signal)) {
    if (signal.aborted || record.superseded) return;
    compared = {...record, about, verdict: record.error ?? record.verdict};
    show();
  }
}

function aboutBoth() {
  return JSON.stringify(state.sides);
}

// Ask about one side, unless what is known of it is as good.
async function follow(side, asking, signal, carefully) {
  const about = JSON.stringify(state.sides[side]);
  if (known[side].about === about && (known[side].careful || !carefully)) { show(); return; }
  for await (const record of ask("answer", {design: state.sides[side], move: asking, carefully}, signal)) {
    if (signal.aborted || record.superseded) return;
    const faults = record.refused ?? {};
    if (side === state.active) showFaults(boxes(), faults);
    const fault = record.error ?? Object.values(faults).join("; ");
    const {record: before, of} = known[side];
    known[side] = fault
      ? {record: before, of, fault, stale: of !== about}
      : {record, of: about, fault: "", about, careful: carefully && record.last};
    show();
  }
}

function shown() {
  return sides().map(side => {
    const {about, careful, fault} = known[side];
    const working = !fault && !(careful && about === JSON.stringify(state.sides[side]));
    return {side, several: Boolean(state.sides.B), working, ...known[side]};
  });
}

// The designs with their forms, for the file that is saved.
function designs() {
  return sides().map(side => {
    const design = state.sides[side];
    return {side, several: Boolean(state.sides.B), design, form: forms[design.system]};
  });
}

function show() {
  const all = shown();
  showHeroes(at("heroes"), all);
  const difference = compared.about === aboutBoth() ? compared : null;
  at("verdict").textContent = state.sides.B ? difference?.verdict ?? "comparing …" : "";
  showAnswers(at("answers"), all, difference);
  showHours(at("hour"), at("hours"), all);
  showStacks(at("stacks"), all);
  showCommands(at("commands"), all, copy);
  showBrief(at("brief"), all);
  drawAnswers(all.find(each => each.record)?.record);
}

function drawAnswers(record) {
  if (!record) return;
  const names = record.answers.map(each => each.name);
  if ([...at("answer").options].map(each => each.value).join() === names.join()) return;
  if (!names.includes(state.answer)) state.answer = "throughput";
  at("answer").replaceChildren(...record.answers.map(each => new Option(each.label, each.name)));
  at("answer").value = state.answer;
}

// The curve does not change while only its own setting moves: then the mark alone does.
async function drawCurve(asking, signal, carefully) {
  if (!state.over) return;
  const designs = sides().map(side => state.sides[side]), others = copyOf(designs);
  others.forEach(design => { delete design.settings[state.over]; delete design.parameters[state.over]; });
  const about = JSON.stringify([others, state.over, state.answer]);
  if (about === drawn && (!carefully || chart?.careful)) { redraw(); return; }
  const question = {designs, over: state.over, answer: state.answer, move: asking, carefully};
  if (about !== drawn) at("curve-how").textContent = "working …";
  for await (const record of ask("curve", question, signal)) {
    if (signal.aborted || record.superseded) return;
    const fault = record.error ?? (record.refused && Object.values(record.refused).join("; "));
    if (fault) { at("curve-how").textContent = fault; return; }
    chart = {...record, careful: carefully && record.last};
    drawn = about;
    redraw();
  }
}

function redraw() {
  if (!chart) return;
  const name = state.over, entry = [...form().settings, ...form().parameters].find(each => each.name === name);
  const design = state.sides[state.active], text = design.settings[name] ?? design.parameters[name] ?? entry?.default;
  const here = Object.entries(chart.chart.x.named).find(([, each]) => each === text);
  drawChart(at("curve"), chart.chart, here ? Number(here[0]) : null);
  at("curve-how").textContent = [chart.how, chart.left_out].filter(each => each).join("; ");
  at("curve-gaps").replaceChildren(...chart.gaps.map(gap => element("li", "", `${name} ${gap.at}: ${gap.why}`)));
}

async function copy(text, shownIn) {
  try {
    await navigator.clipboard.writeText(text);
    at("status").textContent = "copied";
  } catch { // only pages of this machine, or with HTTPS, may write there
    if (shownIn) getSelection().selectAllChildren(shownIn);
    at("status").textContent = "selected: copy it with Ctrl+C";
  }
}

function wire() {
  at("system").addEventListener("change", () => redesign(() => {
    state.sides[state.active] = newDesign(at("system").value);
    known[state.active] = {};
  }));
  at("compare").addEventListener("click", () => redesign(() => {
    state.sides.B = state.sides.B ? null : copyOf(state.sides.A);
    state.active = state.sides.B ? "B" : "A";
    known.B = state.sides.B ? {...known.A} : {};
  }));
  at("sides").addEventListener("click", event => {
    const side = event.target.closest("button")?.dataset.side;
    if (side) redesign(() => { state.active = side; });
  });
  at("defaults").addEventListener("click", () => redesign(() => {
    state.sides[state.active] = newDesign(state.sides[state.active].system);
  }));
  at("over").addEventListener("change", () => { state.over = at("over").value; unsettle(); answer(false); rest(); });
  at("answer").addEventListener("change", () => { state.answer = at("answer").value; unsettle(); answer(false); rest(); });
  at("copy-link").addEventListener("click", () => copy(location.href));
  at("save").addEventListener("click", () => saveResults(at("results"), designs(), version));
  at("skip").addEventListener("click", event => { event.preventDefault(); at("results").focus(); });
  addEventListener("popstate", () => redesign(() => { state = fromFragment(location.hash, first); }, true));
  new ResizeObserver(redraw).observe(at("results"));
  setInterval(lookAtFile, LOOK_MS);
}

// A stack file that was changed is read again, and asked about.
async function lookAtFile() {
  const stale = [];
  for (const name of new Set(sides().map(side => state.sides[side].system))) {
    if (!forms[name]?.stamp) continue;
    const {stamp} = await askOnce("stamp", {system: name});
    if (stamp && stamp !== forms[name].stamp) stale.push(name);
  }
  for (const name of stale) {
    const read = await askOnce("form", {system: name});
    if (read.error) {
      at("system-error").textContent = read.error;
      forms[name].stamp = "unreadable"; // to be read again even if it comes back unchanged
      continue;
    }
    redesign(() => {
      forms[name] = read;
      drawn = "";
      compared = {about: ""};
      Object.assign(known, {A: {}, B: {}});
    }, true);
  }
}

begin();
