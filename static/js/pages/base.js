/** What every page does: the theme switch and the language form. */
import { toggleTheme } from "../view/theme.js";

document.querySelector("[data-theme-switch]")?.addEventListener("click", toggleTheme);

const form = document.querySelector("[data-language-form]");
form?.querySelector("select").addEventListener("change", () => form.submit());
