/** The builder: what is pointed at on the stage fills a row of conditions, with its value at the end of the run. */
import { find, findAll, need, show } from "../view/base/dom.js";
import { pointed } from "./pointed.js";

const scene = find("[data-scene]");
/** @type {HTMLElement[]} */
const rows = findAll("[data-points] [data-row]");
/** @type {HTMLElement | null} */
let active = null;

/**
 * The field of a row that holds what its question is about.
 * @param {HTMLElement} row
 */
const observableOf = (row) => need(`[name="observable-${row.dataset.row}"]`, HTMLSelectElement, row);

/**
 * Fill a field of a row; not every kind of exercise has them all.
 * @param {HTMLElement} row
 * @param {string} name
 * @param {string} value
 */
function fillField(row, name, value) {
  const field = find(`[name="${name}-${row.dataset.row}"]`, row);
  if (field instanceof HTMLSelectElement || field instanceof HTMLInputElement) field.value = value;
}

for (const row of rows) row.addEventListener("focusin", () => (active = row));

if (scene) {
  for (const button of findAll("[data-point]", scene))
    button.addEventListener("click", () => {
      const { point, message, then } = button.dataset;
      const observables = rows.map((row) => observableOf(row).value);
      const row = rows[pointed(observables, rows.findIndex((each) => each === active))];
      const condition = { observable: point, message, op: "==", value: then };
      if (![...observableOf(row).options].some((option) => option.value === point)) return;
      for (const [name, value] of Object.entries(condition)) fillField(row, name, value ?? "");
      for (const each of rows) each.classList.toggle("is-pointed", each === row);
      active = null; // the next one fills the next row, unless a row is chosen
    });
  show(scene, true);
}
