// The page of a sweep (swept.html): controls over its points. Stands behind chart.js in the same script.

const grid = JSON.parse(document.getElementById("grid").textContent);
const at = id => document.getElementById(id);
const chosen = {answer: grid.answers[0].name, family: ""};
grid.sliders.forEach(slider => { chosen[`of ${slider.name}`] = slider.texts[0]; });

function make(name, text = "") {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function addControl(label, control, value = null) {
  const box = make("div"), caption = make("label", label);
  box.className = "control";
  control.id = `control-${label}`;
  caption.htmlFor = control.id;
  if (value) caption.append(value);
  box.append(caption, control);
  at("controls").append(box);
}

function addList(label, options, key) {
  const list = make("select");
  options.forEach(([value, text]) => list.add(new Option(text, value)));
  list.value = chosen[key];
  list.addEventListener("change", () => { chosen[key] = list.value; show(); });
  addControl(label, list);
}

function addSlider({name, texts}) {
  const slider = make("input"), value = make("output", texts[0]);
  Object.assign(slider, {type: "range", min: 0, max: texts.length - 1, step: 1, value: 0});
  slider.setAttribute("aria-valuetext", texts[0]);
  slider.addEventListener("input", () => {
    chosen[`of ${name}`] = value.textContent = texts[slider.value];
    slider.setAttribute("aria-valuetext", value.textContent);
    show();
  });
  addControl(name, slider, value);
}

// Whether a combination is what the sliders say; that of a family is drawn for all its values.
function isChosen(combination) {
  return grid.sliders.every(({name}) => name === chosen.family || combination[name] === chosen[`of ${name}`]);
}

function show() {
  grid.sliders.forEach(({name}) => { at(`control-${name}`).disabled = name === chosen.family; });
  const whole = grid.charts[chosen.answer];
  const numbers = grid.curves.map((_, number) => number).filter(number => isChosen(grid.curves[number]));
  const label = number => chosen.family ? `${chosen.family} ${grid.curves[number][chosen.family]}` : whole.y.label;
  const chart = {
    ...whole,
    title: `${whole.y.label} over ${grid.over}`,
    curves: numbers.map(number => ({...whole.curves[number], label: label(number)})),
    published: whole.published.filter(points => numbers.includes(points.curve))
      .map(points => ({...points, curve: numbers.indexOf(points.curve)})),
  };
  const highest = whole.curves.flatMap(curve => [...curve.y, ...curve.high]).concat(whole.published.flatMap(points => points.y));
  if (numbers.length) drawChart(at("chart"), chart, null, Math.max(...highest.filter(value => value !== null)));
  else at("chart").replaceChildren();
  at("nothing").textContent = numbers.length ? "" : "No point is done here.";
  showRows(chart, numbers);
  at("gaps").replaceChildren(...grid.gaps.filter(gap => isChosen(gap.of)).map(gap => make("li", `${grid.over} ${gap.at}: ${gap.why}`)));
}

function showRows(chart, numbers) {
  const table = at("rows"), family = chosen.family ? [chosen.family] : [];
  table.replaceChildren();
  const add = (cells, kind) => {
    const row = table.insertRow();
    cells.forEach((text, index) => {
      const cell = make(kind, text);
      if (kind === "th") cell.scope = "col";
      row.append(cell);
    });
    return row;
  };
  add([grid.over, ...family, titleOf(chart.y), "low", "high", "limit"], "th");
  chart.curves.forEach((curve, place) => curve.x.forEach((x, index) => {
    const text = chart.x.named ? namesOf(chart.x).find(([value]) => value === x)[1] : textOf(x);
    const known = curve.y[index] !== null, number = value => (value ?? null) === null ? "–" : textOf(value);
    const row = add([
      text, ...family.map(name => grid.curves[numbers[place]][name]), known ? textOf(curve.y[index]) : "not done",
      number(curve.low[index]), number(curve.high[index]), grid.limits[numbers[place]][text] ?? "",
    ], "td");
    if (known) row.dataset.value = curve.y[index];
  }));
}

addList("answer", grid.answers.map(({name, label}) => [name, label]), "answer");
grid.sliders.forEach(slider => slider.numeric ? addSlider(slider) : addList(slider.name, slider.texts.map(text => [text, text]), `of ${slider.name}`));
if (grid.sliders.length) addList("a curve for each", [["", "– (one curve)"], ...grid.sliders.map(({name}) => [name, name])], "family");
show();
addEventListener("resize", show);
