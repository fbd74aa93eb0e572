/** The library of the static edition: the theme and the language. */
import { find } from "../view/base/dom.js";
import { toggleTheme } from "../view/base/theme.js";

find("[data-theme-switch]").addEventListener("click", toggleTheme);
find("#language").addEventListener("change", ({ target }) => location.assign(`../${target.value}/index.html`));
