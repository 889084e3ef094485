// Pages of lessons (base.html): charts with controls over points that were worked out before, guesses, slides. Stands
// behind chart.js in the same script.

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

document.querySelectorAll("figure.charts").forEach((figure, number) => showCharts(figure, number));
document.querySelectorAll("form.guess").forEach(ask);
if (document.body.classList.contains("slides")) turn();

// A control for each knob that has several values, the charts of the chosen point, and its words.
function showCharts(figure, number) {
  const {knobs, points, notes} = JSON.parse(figure.querySelector("script").textContent);
  const chosen = knobs.map(knob => knob.start), highest = [];
  const controls = make("div", {className: "controls"}), drawn = make("div", {className: "drawn"});
  const words = make("output", {className: "words"});
  const at = () => chosen.reduce((point, place, index) => point * knobs[index].texts.length + place, 0);
  knobs.forEach((knob, index) => {
    if (knob.texts.length === 1) return;
    controls.append(controlOf(knob, `knob-${number}-${index}`, place => { chosen[index] = place; show(); }));
  });
  drawn.append(...points[at()].charts.map(() => make("div")));
  figure.append(controls, drawn, words, ...notes.map(note => make("p", {className: "note"}, note)));

  function show() {
    const point = points[at()];
    words.textContent = point.words;
    drawn.classList.toggle("stale", !point.charts.length); // the system refuses this point, and the words say why
    point.charts.forEach((chart, index) => {
      const values = chart.curves.flatMap(curve => [...curve.y, ...curve.high]).concat(chart.published.flatMap(each => each.y));
      highest[index] = Math.max(highest[index] ?? -Infinity, ...values); // no y axis shrinks, so that changes are seen
      drawChart(drawn.children[index], chart, null, highest[index]);
    });
  }

  let width = 0;
  new ResizeObserver(([{contentRect}]) => {
    if (contentRect.width && contentRect.width !== width) { width = contentRect.width; show(); }
  }).observe(figure);
}

function controlOf(knob, id, choose) {
  const label = make("label", {htmlFor: id}, knob.name), help = make("p", {className: "help", id: `${id}-help`}, knob.help);
  if (!knob.ordered) {
    const list = make("select", {id}, ...knob.texts.map(text => new Option(text)));
    list.selectedIndex = knob.start;
    list.setAttribute("aria-describedby", help.id);
    list.addEventListener("change", () => choose(list.selectedIndex));
    return make("div", {className: "control"}, label, list, help);
  }
  const value = make("span", {className: "value"}, knob.texts[knob.start]);
  const slider = make("input", {id, type: "range", min: 0, max: knob.texts.length - 1, step: 1, value: knob.start});
  slider.setAttribute("aria-valuetext", knob.texts[knob.start]);
  slider.setAttribute("aria-describedby", help.id);
  slider.addEventListener("input", () => {
    value.textContent = knob.texts[slider.value];
    slider.setAttribute("aria-valuetext", value.textContent);
    choose(Number(slider.value));
  });
  return make("div", {className: "control"}, label, value, slider, help);
}

// Whatever stands below the first question without a guess is hidden, so that nobody reads the answer first.
function hide() {
  const open = document.querySelector("form.guess:not(.guessed)"), sections = [...document.querySelectorAll("main > section")];
  const last = open ? sections.indexOf(open.closest("section")) : sections.length;
  sections.forEach((section, number) => { section.hidden = number > last; });
}

function ask(form) {
  const field = form.querySelector("input"), said = form.querySelector("output");
  form.noValidate = true;
  form.addEventListener("submit", event => {
    event.preventDefault();
    const skipped = event.submitter?.name === "skip", guess = Number(field.value.replaceAll(",", "") || NaN);
    field.setAttribute("aria-invalid", !skipped && Number.isNaN(guess));
    if (!skipped && Number.isNaN(guess)) {
      said.textContent = "Write a number, such as 5.";
      field.focus();
      return;
    }
    form.classList.add("guessed");
    said.textContent = "Read on below.";
    [...document.querySelectorAll(".beside")].filter(each => each.dataset.question === form.dataset.question)
      .forEach(each => { each.dataset.guess = skipped ? "" : beside(guess, Number(each.dataset.answer)); });
    hide();
  });
  if (!document.body.classList.contains("handout")) hide();
}

function beside(guess, answer) {
  return guess ? `; you said ${numberText(guess)}: it is ${numberText(answer / guess, 2)} times your guess` : "; you said none";
}

// Slides: arrows turn them, whatever has the focus, but for what uses arrows itself.
function turn() {
  const main = document.querySelector("main"), count = document.querySelector("#turn output");
  const slides = () => [...main.children].filter(slide => !slide.hidden);
  const at = () => slides().findIndex(slide => slide.getBoundingClientRect().bottom > innerHeight / 2);
  const go = step => {
    const to = slides()[Math.min(Math.max(at() + step, 0), slides().length - 1)];
    to.scrollIntoView({behavior: "instant"});
    to.focus({preventScroll: true});
    tell();
  };
  const tell = () => { count.textContent = `${at() + 1} of ${slides().length}`; };
  document.getElementById("on").addEventListener("click", () => go(1));
  document.getElementById("back").addEventListener("click", () => go(-1));
  main.addEventListener("scroll", tell);
  document.addEventListener("submit", tell);
  document.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1}[event.key];
    if (!step || event.defaultPrevented || event.target.closest("input, select")) return;
    event.preventDefault();
    go(step);
  });
  tell();
}
