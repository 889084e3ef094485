// The drawn stack: a box for the load and for each layer or group of places, each with the place that is nearest to its
// limit; a box that is opened shows all its places.

import {element} from "./controls.js";

const NEAR = [[0.9, "full"], [0.6, "high"], [0, "low"]]; // from which share of its limit on a bar has which colour

export function showStacks(box, known) {
  const open = new Set([...box.querySelectorAll("details[open]")].map(each => each.dataset.box));
  const focused = document.activeElement?.closest?.(".stack details")?.dataset.box;
  box.replaceChildren(...known.filter(each => each.record).map(({side, record, several, stale}) => {
    const column = element("div", stale ? "stale" : "");
    if (several) column.append(element("span", `badge side-${side.toLowerCase()}`, side));
    const list = element("ol", "stack");
    list.setAttribute("aria-label", `the stack of ${record.system}, from top to bottom`);
    list.append(...record.stages.map(stage => stageOf(stage, `${side} ${stage.name}`, open)));
    column.append(list);
    return column;
  }));
  if (focused) box.querySelector(`details[data-box="${CSS.escape(focused)}"] summary`)?.focus();
}

function stageOf(stage, id, open) {
  const limits = stage.places.some(place => place.limits);
  const item = element("li", `stage${stage.load ? " load" : ""}${limits ? " limits" : ""}`);
  const alone = stage.places.length === 1 && stage.places[0].name === stage.name;
  if (alone) item.append(placeOf(stage.places[0]));
  else if (stage.places.length) item.append(foldOf(stage, id, open.has(id)));
  else item.append(headingOf(stage));
  return item;
}

function headingOf(stage) {
  const heading = element("span", "stage-name", stage.load ? `load: ${stage.name}` : stage.name);
  if (stage.kind && stage.kind !== stage.name) heading.append(element("span", "kind", ` ${stage.kind}`));
  if (stage.note) heading.append(element("span", "kind", ` ${stage.note}`));
  return heading;
}

// A box with places inside; closed, it shows the one that stands for it.
function foldOf(stage, id, open) {
  const fold = element("details"), summary = element("summary"), lead = stage.places[stage.lead];
  fold.dataset.box = id;
  fold.open = open;
  summary.append(headingOf(stage), placeOf(lead));
  fold.append(summary, ...stage.places.map(placeOf));
  return fold;
}

function placeOf(place) {
  const line = element("div", `place${place.limits ? " limits" : ""}`);
  line.dataset.place = place.name;
  const name = element("span", "place-name", place.label);
  if (place.count > 1) name.append(element("span", "kind", ` × ${place.count}`));
  const bar = element("span", "bar"), part = element("span", "part");
  bar.setAttribute("aria-hidden", "true");
  part.style.width = `${100 * Math.min(1, place.share ?? 0)}%`;
  if (place.near !== null) part.classList.add(NEAR.find(([least]) => place.near >= least)[1]);
  bar.append(part);
  const words = [place.words, place.waiting].filter(text => text).join(", ");
  line.append(name, bar, element("span", "words", words));
  if (place.verdict) line.append(element("strong", "verdict", place.verdict));
  return line;
}
