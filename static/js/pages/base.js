/** What every page does: the theme switch and the language form. */
import { Terms } from "../view/page/terms.js";
import { toggleTheme } from "../view/base/theme.js";

document.querySelector("[data-theme-switch]")?.addEventListener("click", toggleTheme);

const form = document.querySelector("[data-language-form]");
form?.querySelector("select").addEventListener("change", () => form.submit());

new Terms(document.body, document.documentElement.dataset.words);
