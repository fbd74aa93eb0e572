/** The tip of a cell: its numbers, its memory over time, and the button that opens the run. */
import { LETTERS } from "../model/messages.js";
import { dataOf, required } from "../view/base/dom.js";
import { pin } from "./pins.js";
import { level, sparkline, stacked, tipPlace } from "./shape.js";

/** @import { CellFacts, Tips } from "./pins.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Shows the tip beside a cell. `tips` is what the server wrote into the page.
 * @param {HTMLElement} tip
 * @param {HTMLButtonElement} cell
 * @param {Tips} tips
 */
export function showTip(tip, cell, tips) {
  const run = tips.cells[cell.value];
  if (!run) return;
  tip.replaceChildren(heading(run), ...body(run, tips));
  if (!run.error) tip.append(actions(cell, required(cell.form, "the form of a cell"), tip, tips));
  tip.hidden = false;
  const place = tipPlace(
    cell.getBoundingClientRect(),
    tip.getBoundingClientRect(),
    { width: document.documentElement.clientWidth, height: window.innerHeight },
  );
  // Boxes are in pixels of the window; lengths of the tip grow with the page on a very wide screen.
  const zoom = tip.currentCSSZoom ?? 1;
  tip.style.left = `${place.left / zoom}px`;
  tip.style.top = `${place.top / zoom}px`;
  // The page moves up below a finger or the keyboard; under a mouse another cell would come to lie there.
  if (document.activeElement === cell) window.scrollBy(0, place.hides);
}

/** @param {CellFacts} run */
function heading(run) {
  return element("b", run.at);
}

/**
 * @param {CellFacts} run
 * @param {Tips} tips
 */
function body(run, tips) {
  if (run.error) return [element("p", tips.failed.replace("%(error)s", run.error))];
  const list = element("dl");
  tips.labels.forEach((label, index) => {
    list.append(element("dt", label), element("dd", run.numbers[index]));
  });
  /** @type {Element[]} */
  const parts = [list];
  if (run.note) parts.push(element("p", run.note));
  if (run.ram_kib.length < 2) return parts;
  parts.push(chart(run), element("small", tips.seconds.replace("%(seconds)s", String(run.until_s))));
  if (run.states.length) parts.push(states(run), legend(tips.states));
  return parts;
}

/**
 * Ready messages over time, alphas at the bottom and deltas on top.
 * @param {CellFacts} run
 */
function states(run) {
  const svg = box("whatif-states");
  stacked(run.states.slice(0, LETTERS.length)).forEach((area, index) => svg.append(path(area, LETTERS[index])));
  return svg;
}

/**
 * The names of the states, which are the same in every language, with marks of their colours.
 * @param {string} words
 */
function legend(words) {
  const line = element("small", words);
  for (const name of LETTERS) {
    const mark = element("span", name);
    mark.className = `whatif-state ${name}`;
    line.append(" ", mark);
  }
  return line;
}

/**
 * Memory over time with its two thresholds, scaled so that the thresholds show unless they are far above.
 * @param {CellFacts} run
 */
function chart(run) {
  const peak = Math.max(...run.ram_kib);
  const near = [run.limit_kib, run.paging_kib].map((each) => each ?? Infinity).filter((each) => each < 2 * peak);
  const largest = Math.max(peak, ...near);
  const svg = box("whatif-memory");
  svg.append(
    path(level(run.limit_kib, largest), "limit"),
    path(level(run.paging_kib, largest), "paging"),
    path(sparkline(run.ram_kib, largest), "ram"),
  );
  return svg;
}

/** @param {string} name */
function box(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 40");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", name);
  return svg;
}

/**
 * @param {string} data
 * @param {string} name
 */
function path(data, name) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", data);
  made.setAttribute("class", name);
  return made;
}

/**
 * @param {HTMLButtonElement} cell
 * @param {HTMLFormElement} form
 * @param {HTMLElement} tip
 * @param {Tips} tips
 */
function actions(cell, form, tip, tips) {
  const row = element("div");
  row.className = "whatif-actions";
  const pinner = element("button", tips.pins.includes(cell.value) ? tip.dataset.unpin : tip.dataset.pin);
  pinner.className = "btn";
  pinner.type = "button";
  pinner.tabIndex = -1;
  pinner.addEventListener("click", () => pin(tips, cell.value));
  row.append(opener(cell, form, dataOf(tip, "open")), pinner);
  return row;
}

/**
 * A button of the heatmap's own form, though the tip stands outside of it.
 * @param {HTMLButtonElement} cell
 * @param {HTMLFormElement} form
 * @param {string} label
 */
function opener(cell, form, label) {
  const button = element("button", label);
  button.className = "btn primary";
  button.name = cell.name;
  button.value = cell.value;
  button.tabIndex = -1;
  button.setAttribute("form", form.id);
  return button;
}

/**
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 */
function element(name, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
