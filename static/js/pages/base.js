/** What every page does: the theme switch, menus that close, the forms of one choice, and the glossary's words. */
import { around, dataOf, find, findAll } from "../view/base/dom.js";
import { toggleTheme } from "../view/base/theme.js";

find("[data-theme-switch]")?.addEventListener("click", toggleTheme);

for (const form of findAll("form[data-chosen-at-once]", HTMLFormElement))
  form.querySelector("select")?.addEventListener("change", () => form.submit());

/** Menus: a press elsewhere closes them, on another one too, and so does Escape. One that follows a vote or a test stays. */
const openMenus = () => findAll("details:is(.nav-menu, .more-starts, .pop, .run-details, .as-table)[open]:not([data-stays])", HTMLDetailsElement);
document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});

const COME = ["pointerover", "focusin"];

/**
 * Show the meaning of the first word of the glossary that the reader comes to; its script is not needed before.
 * @param {Event} event
 */
async function meetFirst(event) {
  const word = around(event, "[data-term]");
  if (!word) return;
  COME.forEach((come) => document.body.removeEventListener(come, meetFirst));
  const { Terms } = await import("../view/page/terms.js");
  const terms = new Terms(document.body, dataOf(document.documentElement, "words"));
  terms.listen();
  if (word.matches(":hover, :focus")) terms.come(word); // The reader may have gone on while the script came.
}
COME.forEach((come) => document.body.addEventListener(come, meetFirst));
