// The result as one file that opens without a server or scripts: what the page shows, the settings and the version.

import {element} from "./controls.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const LAYOUT = `main { display: block; max-width: 62rem; } .chart svg { height: auto; } footer { padding: 0 1.2rem 2rem; text-align: center; }
h1, p { overflow-wrap: anywhere; } .settings th, .settings td { padding: .15rem 1rem .15rem 0; text-align: left; vertical-align: top; }`;

// `designs` has, for each side, its name and what was asked, with the form that has the defaults.
export async function saveResults(results, designs, version) {
  const styles = await Promise.all(["chart.css", "explorer.css"].map(async name => (await fetch(name)).text()));
  const names = designs.map(({design}) => design.system.split(/[\\/]/).pop().replace(/\.toml$/, ""));
  const title = `stacksim: ${names.join(" and ")}`;
  const main = element("main"), made = new Date().toISOString().slice(0, 10);
  main.append(...copied(results).children, ...designs.map(settingsOf));
  download(`${names.join("-and-")}.html`, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
${element("title", "", title).outerHTML}
<link rel="icon" href="data:,">
<style>${[...styles, LAYOUT].join("\n")}</style>
</head>
<body>
<header>${element("h1", "", title).outerHTML}</header>
${main.outerHTML}
${element("footer", "note", `Made with stacksim ${version} on ${made}. This file loads nothing.`).outerHTML}
</body>
</html>
`);
}

// What the page shows, without what needs a script.
function copied(results) {
  const copy = results.cloneNode(true), value = id => results.querySelector(`#${id}`).selectedOptions[0]?.text;
  const about = element("p", "note", `${value("answer")} over ${value("over")}: ${results.querySelector("#curve-how").textContent}`);
  copy.querySelector(".pickers").replaceWith(about);
  copy.querySelectorAll("button, .chart-tip").forEach(each => each.remove());
  copy.querySelectorAll("[tabindex]").forEach(each => each.removeAttribute("tabindex"));
  return copy;
}

function settingsOf({side, several, design, form}) {
  const section = element("section"), table = element("table", "settings"), scroll = element("div", "scroll");
  section.append(element("h2", "", several ? `Design ${side}` : "Design"), element("p", "", `${design.system}: ${form.title}`));
  const changed = form.parameters.filter(entry => entry.name in design.parameters);
  for (const [entry, text] of [
    ...form.settings.map(entry => [entry, design.settings[entry.name]]),
    ...changed.map(entry => [entry, design.parameters[entry.name]]),
  ]) {
    const line = table.insertRow(), name = element("th", "", entry.name);
    name.scope = "row";
    line.append(name, element("td", "", text ?? entry.default), element("td", "note", entry.help));
  }
  scroll.append(table);
  const others = form.parameters.length - changed.length;
  section.append(scroll, element("p", "note", `${others} parameters have their own values.`));
  return section;
}

function download(name, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/html"}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
