// The controls of a design: for each setting and parameter a slider over stops, a field or a list. Texts are checked
// by the server, so that what is wrong with them is said in the same line as by the command. `changed` is called with
// a name, a text, and whether it is being typed.

export function drawControls(box, entries, group, changed) {
  box.replaceChildren(...entries.map(entry => controlOf(entry, group, changed)));
}

function controlOf(entry, group, changed) {
  const control = element("div", "control");
  control.dataset.name = entry.name;
  const id = `${group}-${entry.name}`;
  const label = element("label", "", entry.name);
  label.htmlFor = id;
  const field = entry.kind === "choice" ? listOf(entry) : element("input");
  if (entry.kind !== "choice") Object.assign(field, {type: "text", autocomplete: "off", spellcheck: false});
  field.id = id;
  field.setAttribute("aria-describedby", `${id}-help ${id}-error`);
  field.addEventListener("input", () => changed(entry.name, field.value, entry.kind !== "choice"));
  field.addEventListener("change", () => changed(entry.name, field.value));
  control.append(label, field);
  if (entry.kind === "number" && entry.stops.length > 1) control.append(sliderOf(entry, field, changed));
  const help = element("p", "help", entry.basis ? `${entry.basis}: ${entry.help}` : entry.help);
  help.id = `${id}-help`;
  const error = element("p", "error");
  error.id = `${id}-error`;
  error.setAttribute("role", "alert");
  control.append(help, error);
  return control;
}

function listOf(entry) {
  const list = element("select");
  entry.stops.forEach(text => list.add(new Option(text, text)));
  return list;
}

function sliderOf(entry, field, changed) {
  const slider = element("input");
  Object.assign(slider, {type: "range", min: 0, max: entry.stops.length - 1, step: 1});
  slider.setAttribute("aria-label", `${entry.name}, slider`);
  slider.addEventListener("input", () => changed(entry.name, entry.stops[slider.value]));
  return slider;
}

// Show the values of a design; those that it does not change are by default. What is being typed stays as it is.
export function fillControls(box, entries, values, typing = null) {
  for (const entry of entries) {
    const control = box.querySelector(`[data-name="${CSS.escape(entry.name)}"]`);
    const text = values[entry.name] ?? entry.default;
    control.classList.toggle("moved", text !== entry.default);
    const field = control.querySelector("input[type=text], select");
    if (entry.name !== typing) field.value = text;
    const slider = control.querySelector("input[type=range]");
    if (!slider) continue;
    const stop = entry.stops.indexOf(text);
    if (stop >= 0) slider.value = stop;
    slider.setAttribute("aria-valuetext", text);
  }
}

// Say beside each control what is wrong with it; the names of those that are not there.
export function showFaults(boxes, faults) {
  const shown = new Set();
  for (const control of boxes.flatMap(box => [...box.querySelectorAll(".control")])) {
    const fault = faults[control.dataset.name] ?? "";
    const error = control.querySelector(".error");
    if (error.textContent !== fault) error.textContent = fault;
    control.querySelector("input[type=text], select").setAttribute("aria-invalid", fault ? "true" : "false");
    if (fault) shown.add(control.dataset.name);
  }
  return Object.keys(faults).filter(name => !shown.has(name));
}

export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
