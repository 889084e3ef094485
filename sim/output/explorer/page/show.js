// What is known of the designs: the answers, the drawn stack, the commands.

import {element} from "./controls.js";

// `known` has, for each side, the last record of its answer; if there is no better one, the line that says why, and
// whether the record is `stale`: of another design.
export function showHeroes(box, known) {
  box.replaceChildren(...known.map(({side, record, fault, stale, several}) => {
    const hero = element("article", `hero side-${side.toLowerCase()}${stale ? " stale" : ""}`);
    if (several) hero.append(element("span", `badge side-${side.toLowerCase()}`, side));
    if (fault) hero.append(element("p", "fault", fault));
    if (!record) return hero;
    const answer = record.answers[0];
    hero.append(element("p", "figure", answer.text));
    if (stale) hero.append(element("p", "note", "of the design before this change"));
    if (answer.measured) hero.append(element("p", "note", `expected if measured: ${answer.measured}`));
    if (answer.published) hero.append(element("p", "note published", `published: ${answer.published}`));
    const limit = element("p", "limit");
    limit.append(element("strong", "", "limited by "), record.limit);
    hero.append(limit, element("p", "how", record.how));
    if (record.refusal) hero.append(element("p", "note", `simulated, as ${record.refusal}`));
    record.caveats.forEach(text => hero.append(element("p", "note", text)));
    record.warnings.forEach(text => hero.append(element("p", "note", `warning: ${text}`)));
    return hero;
  }));
}

export function showAnswers(table, known) {
  const records = known.filter(each => each.record);
  table.replaceChildren();
  if (!records.length) return;
  const several = records.length > 1;
  const names = [...new Map(records.flatMap(each => each.record.answers.map(answer => [answer.name, answer.label])))];
  row(table, several ? ["", ...records.map(each => each.side), "B / A"] : ["", "", "interval", "expected if measured", "published"], "th");
  for (const [name, label] of names) {
    const answers = records.map(each => each.record.answers.find(answer => answer.name === name));
    const line = several
      ? row(table, [label, ...answers.map(answer => answer?.text ?? "–"), ratioOf(answers)])
      : row(table, [label, textOf(answers[0]), answers[0].interval, answers[0].measured, answers[0].published]);
    line.dataset.answer = name;
    if (answers[0]?.value != null) line.dataset.value = answers[0].value;
  }
}

function textOf(answer) {
  return answer.known || answer.value === null ? answer.text : `${answer.text}?`;
}

function ratioOf([a, b]) {
  return a?.value && b?.value != null && a.unit === b.unit ? `× ${Number((b.value / a.value).toPrecision(3))}` : "";
}

function row(table, cells, kind = "td") {
  const line = table.insertRow();
  cells.forEach((text, index) => {
    const cell = element(kind === "th" || !index ? "th" : "td", "", text);
    cell.scope = kind === "th" ? "col" : "row";
    line.append(cell);
  });
  return line;
}

export function showStacks(box, known) {
  box.replaceChildren(...known.filter(each => each.record).map(({side, record, several, stale}) => {
    const column = element("div", stale ? "stale" : "");
    if (several) column.append(element("span", `badge side-${side.toLowerCase()}`, side));
    const list = element("ol", "stack");
    list.setAttribute("aria-label", `the stack of ${record.system}, from top to bottom`);
    list.append(...record.stages.map(stageOf));
    column.append(list);
    return column;
  }));
}

function stageOf(stage) {
  const limits = stage.places.some(place => place.limits), nearest = stage.places.some(place => place.nearest);
  const item = element("li", `stage${stage.load ? " load" : ""}${limits ? " limits" : ""}${nearest ? " nearest" : ""}`);
  const alone = stage.places.length === 1 && stage.places[0].name === stage.name;
  if (!alone) {
    const heading = element("p", "stage-name", stage.load ? `load: ${stage.name}` : stage.name);
    if (stage.kind && stage.kind !== stage.name) heading.append(element("span", "kind", ` ${stage.kind}`));
    if (stage.note) heading.append(element("span", "kind", ` ${stage.note}`));
    item.append(heading);
  }
  item.append(...stage.places.map(placeOf));
  return item;
}

function placeOf(place) {
  const line = element("div", `place${place.limits ? " limits" : ""}${place.nearest ? " nearest" : ""}`);
  line.dataset.place = place.name;
  const name = element("span", "place-name", place.name);
  if (place.count > 1) name.append(element("span", "kind", ` × ${place.count}`));
  const bar = element("span", "bar"), part = element("span", "part");
  bar.setAttribute("aria-hidden", "true");
  part.style.width = `${100 * Math.min(1, place.share ?? 0)}%`;
  bar.append(part);
  const words = [place.words, place.waiting].filter(text => text).join(", ");
  line.append(name, bar, element("span", "words", words));
  if (place.limits) line.append(element("strong", "verdict", "limits throughput"));
  if (place.nearest) line.append(element("strong", "verdict", "nearest to its limit"));
  return line;
}

export function showCommands(box, known, copy) {
  const about = JSON.stringify(known.map(({side, record, several}) => [side, record?.command, several]));
  if (box.dataset.about === about) return; // who has the focus on a button keeps it
  box.dataset.about = about;
  box.replaceChildren(...known.filter(each => each.record).map(({side, record, several}) => {
    const line = element("div", "command");
    const code = element("code", "", record.command), button = element("button", "", "Copy command");
    code.tabIndex = 0;
    button.type = "button";
    if (several) { line.append(element("span", `badge side-${side.toLowerCase()}`, side)); button.append(` ${side}`); }
    button.addEventListener("click", () => copy(record.command, code));
    line.append(code, button);
    return line;
  }));
}

// What a screen reader is told once an answer is there.
export function spoken(known) {
  return known.map(({side, record, fault, several}) => {
    const who = several ? `${side}: ` : "";
    if (fault) return `${who}${fault}`;
    return record ? `${who}${record.answers[0].label} ${record.answers[0].text}, limited by ${record.limit}` : "";
  }).join(". ");
}

// The answer of a side in a few words.
export function brief({side, record, several}) {
  return `${several ? `${side} ` : ""}${record.answers[0].text}`;
}
