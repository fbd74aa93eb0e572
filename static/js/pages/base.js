/** What every page does: the theme switch and the language form. */
import { dataOf, find } from "../view/base/dom.js";
import { Terms } from "../view/page/terms.js";
import { toggleTheme } from "../view/base/theme.js";

find("[data-theme-switch]")?.addEventListener("click", toggleTheme);

const form = find("[data-language-form]");
form?.querySelector("select").addEventListener("change", () => form.submit());

new Terms(document.body, dataOf(document.documentElement, "words")).listen();
