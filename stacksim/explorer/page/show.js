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
    if (record.refusal) {
      const note = element("p", "note", "Simulated (no instant estimate for this system)");
      note.title = record.refusal;
      hero.append(note);
    }
    record.caveats.forEach(text => hero.append(element("p", "note", text)));
    record.warnings.forEach(text => hero.append(element("p", "note", `warning: ${text}`)));
    return hero;
  }));
}

// A row for each answer; of one design a column stands there only if some answer has something in it. `compared` is the
// record of the difference of two.
export function showAnswers(table, known, compared) {
  const records = known.filter(each => each.record);
  table.replaceChildren();
  if (!records.length) return;
  const several = records.length > 1;
  const columns = several ? columnsOfBoth(records, compared) : columnsOf(records[0]);
  table.classList.toggle("one", !several);
  row(table, ["", ...columns.map(each => each.heading)], "th");
  const names = [...new Map(records.flatMap(each => each.record.answers.map(answer => [answer.name, answer.label])))];
  for (const [name, label] of names) {
    const answers = records.map(each => each.record.answers.find(answer => answer.name === name));
    const line = row(table, [label, ...columns.map(each => each.text(answers))]);
    columns.forEach(({heading}, index) => { line.cells[index + 1].dataset.heading = heading; });
    line.dataset.answer = name;
    if (answers[0]?.value != null) line.dataset.value = answers[0].value;
  }
}

function columnsOf({record}) {
  const further = {interval: "interval", measured: "expected if measured", published: "published"};
  const filled = Object.entries(further).filter(([key]) => record.answers.some(answer => answer[key]));
  return [
    {heading: "", text: ([answer]) => textOf(answer)},
    ...filled.map(([key, heading]) => ({heading, text: ([answer]) => answer[key]})),
  ];
}

// The ratio is known surely once pairs of runs have been compared.
function columnsOfBoth(records, compared) {
  const each = records.map(({side}, index) => ({heading: side, text: answers => answers[index] ? textOf(answers[index]) : "–"}));
  const further = {ratio: "B / A", better: "better", likely: "with uncertain parameters"};
  return [...each, ...Object.entries(further).map(([key, heading]) => (
    {heading, text: ([answer]) => compared?.answers?.[answer?.name]?.[key] ?? ""}
  ))];
}

function textOf(answer) {
  return answer.known || answer.value === null ? answer.text : `${answer.text}?`;
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

// The answer of a side in a few words, with its interval: the one of a measurement, if there is one.
export function brief({side, record, several}) {
  const {text, measured, interval} = record.answers[0];
  const lies = measured ? `expected if measured: ${measured}` : interval;
  return `${several ? `${side} ` : ""}${text}${lies ? ` (${lies})` : ""}`;
}
