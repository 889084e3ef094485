// What is known of the designs: the answers, the drawn stack, the commands.

import {drawChart} from "./chart.js";
import {element} from "./controls.js";

// `known` has, for each side, the last record of its answer; if there is no better one, the line that says why; whether
// the record is `stale`, of another design, and whether the explorer is `working` on a better one.
export function showHeroes(box, known) {
  const open = new Set([...box.querySelectorAll("details[open]")].map(each => each.dataset.side));
  const focused = document.activeElement?.closest?.(".hero details")?.dataset.side;
  box.replaceChildren(...known.map(each => heroOf(each, open.has(each.side))));
  if (focused) box.querySelector(`details[data-side=${focused}] summary`)?.focus();
}

// What you get, what limits it and what would help, how sure it is: the same three as on a terminal.
function heroOf({side, record, fault, stale, several, working}, open) {
  const hero = element("article", `hero side-${side.toLowerCase()}${stale ? " stale" : ""}`);
  if (several) hero.append(element("span", `badge side-${side.toLowerCase()}`, side));
  if (fault) hero.append(element("p", "fault", fault));
  if (working && !record) hero.append(element("p", "how", "working …"));
  if (!record) return hero;
  const {figures: [figure], confidence, beside, state, limits} = record.page, {published} = record.answers[0];
  hero.append(element("p", "figure", figure.value));
  if (stale) hero.append(element("p", "note", "of the design before this change"));
  if (figure.expected) hero.append(element("p", "note", `expected if measured, ${percent(confidence)}: ${figure.expected}`));
  if (published) hero.append(element("p", "note published", `published: ${published}`));
  const how = element("p", "how", `${record.how}${working ? " · working …" : ""}`);
  if (record.refusal) how.title = `no instant estimate for this system: ${record.refusal}`;
  hero.append(how, remarksOf([...beside, ...limits], state), sureOf(record.page.sure, side, open));
  return hero;
}

function percent(share) {
  return `${Math.round(100 * share)}%`;
}

// The word for the kind of limit stands out where the text begins with it.
function remarksOf(remarks, state = "") {
  const list = element("dl", "remarks");
  for (const {about, text} of remarks) {
    const words = element("dd");
    if (state && text.startsWith(state)) words.append(element("strong", state.replace(/[^a-z]/g, ""), state), text.slice(state.length));
    else words.append(text);
    list.append(element("dt", "", about), words);
  }
  return list;
}

function sureOf([first, ...rest], side, open) {
  const fold = element("details", "sure"), summary = element("summary");
  fold.dataset.side = side;
  fold.open = open;
  summary.append(element("span", "about", first.about), ` ${first.text}`);
  fold.append(summary, remarksOf(rest));
  return fold;
}

// A row for each answer; of one design a column stands there only if some answer has something in it. `compared` is the
// record of the difference of two.
export function showAnswers(table, known, compared) {
  const sides = known.filter(each => each.record).map(({side, record}) => ({side, record, rows: rowsOf(record)}));
  table.replaceChildren();
  if (!sides.length) return;
  const several = sides.length > 1;
  const columns = several ? columnsOfBoth(sides, compared) : columnsOf(sides[0]);
  table.classList.toggle("one", !several);
  row(table, ["", ...columns.map(each => each.heading)], "th");
  const names = [...new Map(sides.flatMap(each => each.rows.map(answer => [answer.name, answer.label])))];
  for (const [name, label] of names) {
    const answers = sides.map(each => each.rows.find(answer => answer.name === name));
    const line = row(table, [label, ...columns.map(each => each.text(answers))]);
    columns.forEach(({heading}, index) => { line.cells[index + 1].dataset.heading = heading; });
    line.dataset.answer = name;
    if (answers[0]?.value != null) line.dataset.value = answers[0].value;
  }
}

// The answers of the page, and then all others that are known.
function rowsOf({answers, page}) {
  const shown = page.figures.map(figure => {
    const {value, interval, published} = answers.find(answer => answer.name === figure.name) ?? {};
    const text = `${figure.value}${figure.known ? "" : "?"}`;
    return {...figure, value, interval, published, text, measured: figure.expected};
  });
  const others = answers.filter(answer => answer.value !== null && !shown.some(each => each.name === answer.name));
  return [...shown, ...others.map(answer => ({...answer, text: `${answer.text}${answer.known ? "" : "?"}`}))];
}

function columnsOf({record, rows}) {
  const {confidence} = record.page;
  const expected = `expected if measured${confidence ? `, ${percent(confidence)}` : ""}`;
  const further = {interval: "interval", measured: expected, published: "published"};
  const filled = Object.entries(further).filter(([key]) => rows.some(answer => answer[key]));
  return [
    {heading: "", text: ([{text, why}]) => why ? `${text}: ${why}` : text},
    ...filled.map(([key, heading]) => ({heading, text: ([answer]) => answer[key] ?? ""})),
  ];
}

// The ratio is known surely once pairs of runs have been compared.
function columnsOfBoth(sides, compared) {
  const each = sides.map(({side}, index) => ({heading: side, text: answers => answers[index]?.text ?? ""}));
  const further = {ratio: "B / A, at 95%", better: "better", likely: "with uncertain parameters"};
  return [...each, ...Object.entries(further).map(([key, heading]) => (
    {heading, text: ([answer]) => compared?.answers?.[answer?.name]?.[key] ?? ""}
  ))];
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

// The first hour of each side that is unlike its long run, as a chart; the section is hidden if there is none.
export function showHours(section, box, known) {
  const unlike = known.filter(each => each.record?.hour), about = JSON.stringify(unlike.map(({side, record}) => [side, record.hour]));
  section.hidden = !unlike.length;
  if (box.dataset.about === about) return; // who has the focus on a point keeps it
  box.dataset.about = about;
  box.replaceChildren(...unlike.map(({side, record, several}) => {
    const hour = element("article"), chart = element("div");
    if (several) hour.append(element("span", `badge side-${side.toLowerCase()}`, side));
    hour.append(chart, remarksOf(record.hour.remarks));
    return hour;
  }));
  unlike.forEach(({record}, index) => drawChart(box.children[index].querySelector("div"), record.hour.chart));
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
    if (!record) return "";
    const {figures: [figure], limits} = record.page;
    return `${who}${figure.label} ${figure.value}, ${limits[0].text}`;
  }).join(". ");
}

// The answer of a side in a few words: with the interval of a measurement, if there is one; of one design what limits.
export function showBrief(box, known) {
  box.replaceChildren(...known.filter(each => each.record).flatMap(({side, record, several}) => {
    const {figures: [{value, expected}], limits: [limit]} = record.page, {interval} = record.answers[0];
    const lies = expected ? `expected if measured: ${expected}` : interval;
    const line = element("span", "value", `${several ? `${side} ` : ""}${value}${lies ? ` (${lies})` : ""}`);
    return several ? [line] : [line, element("span", "", limit.text.split(/[;,]/)[0])];
  }));
}
