// What the page shows, and the same as the fragment of its address:
// a=dbfs&a.users=8&a.set.cores=4&b=…&side=B&over=users&answer=throughput

export function newState(system) {
  return {sides: {A: newDesign(system), B: null}, active: "A", over: "", answer: "throughput"};
}

export function newDesign(system) {
  return {system, settings: {}, parameters: {}};
}

export function copyOf(design) {
  return structuredClone(design);
}

export function toFragment(state) {
  const words = new URLSearchParams();
  for (const [side, design] of Object.entries(state.sides)) {
    if (!design) continue;
    const key = side.toLowerCase();
    words.set(key, design.system);
    Object.entries(design.settings).forEach(([name, text]) => words.set(`${key}.${name}`, text));
    Object.entries(design.parameters).forEach(([name, text]) => words.set(`${key}.set.${name}`, text));
  }
  if (state.active === "B") words.set("side", "B");
  if (state.over) words.set("over", state.over);
  words.set("answer", state.answer);
  return `#${words}`;
}

export function fromFragment(fragment, first) {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = newState(words.get("a") || first);
  if (words.has("b")) state.sides.B = newDesign(words.get("b"));
  for (const [key, text] of words) {
    const [, side, set, name] = key.match(/^([ab])\.(set\.)?(.+)$/s) ?? [];
    const design = side && state.sides[side.toUpperCase()];
    if (design) design[set ? "parameters" : "settings"][name] = text;
  }
  state.active = words.get("side") === "B" && state.sides.B ? "B" : "A";
  state.over = words.get("over") ?? "";
  state.answer = words.get("answer") || "throughput";
  return state;
}
