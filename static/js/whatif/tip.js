/** The tip of a cell: its numbers, its memory over time, and the button that opens the run. */
import { level, sparkline, tipPlace } from "./shape.js";

const SVG = "http://www.w3.org/2000/svg";

/** Shows the tip beside a cell. `tips` is what the server wrote into the page. */
export function showTip(tip, cell, tips) {
  const facts = tips.cells[cell.value];
  if (!facts) return;
  tip.replaceChildren(heading(facts), ...body(facts, tips));
  const form = cell.form;
  if (!facts.error) tip.append(opener(cell, form, tip.dataset.open));
  tip.hidden = false;
  const place = tipPlace(
    cell.getBoundingClientRect(),
    { width: tip.offsetWidth, height: tip.offsetHeight },
    { width: document.documentElement.clientWidth, height: window.innerHeight },
  );
  tip.style.left = `${place.left}px`;
  tip.style.top = `${place.top}px`;
}

function heading(facts) {
  return element("b", facts.at);
}

function body(facts, tips) {
  if (facts.error) return [element("p", tips.failed.replace("%(error)s", facts.error))];
  const list = element("dl");
  tips.labels.forEach((label, index) => {
    list.append(element("dt", label), element("dd", facts.numbers[index]));
  });
  if (facts.ram_kib.length < 2) return [list];
  return [list, chart(facts), element("small", tips.seconds.replace("%(seconds)s", facts.until_s))];
}

/** Memory over time with its two thresholds, scaled so that the thresholds show unless they are far above. */
function chart(facts) {
  const peak = Math.max(...facts.ram_kib);
  const near = [facts.limit_kib, facts.paging_kib].filter((each) => each !== null && each < 2 * peak);
  const largest = Math.max(peak, ...near);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 40");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(
    path(level(facts.limit_kib, largest), "limit"),
    path(level(facts.paging_kib, largest), "paging"),
    path(sparkline(facts.ram_kib, largest), "ram"),
  );
  return svg;
}

function path(data, name) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", data);
  made.setAttribute("class", name);
  return made;
}

/** A button of the heatmap's own form, though the tip stands outside of it. */
function opener(cell, form, label) {
  const button = element("button", label);
  button.className = "btn primary";
  button.name = cell.name;
  button.value = cell.value;
  button.tabIndex = -1;
  form.id ||= "whatif-open";
  button.setAttribute("form", form.id);
  return button;
}

function element(name, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
