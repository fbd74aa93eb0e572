/** Light or dark: the choice is a cookie, so that the server renders the right one at once. */

const YEAR_S = 31536000;

/** The theme in force now. */
function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * Choose a theme and remember it.
 * @param {string} theme
 */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme};path=/;max-age=${YEAR_S};samesite=lax`;
  document.dispatchEvent(new CustomEvent("themechange"));
}

/** Change to the other theme. */
export function toggleTheme() {
  setTheme(currentTheme() === "dark" ? "light" : "dark");
}

/**
 * Keep a choice in a cookie, so that the server's next page has it from the start.
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  document.cookie = `${name}=${value};path=/;max-age=${value ? YEAR_S : 0};samesite=lax`;
}

/** More contrast, or as the device requests. */
export function toggleContrast() {
  const root = document.documentElement;
  if (root.dataset.contrast === "more") delete root.dataset.contrast;
  else root.dataset.contrast = "more";
  keep("contrast", root.dataset.contrast ?? "");
  document.dispatchEvent(new CustomEvent("themechange"));
}

/** Large type and nothing beside the run, for a projector; returns whether it is so now. */
export function togglePresentation() {
  const on = document.documentElement.classList.toggle("presenting");
  document.dispatchEvent(new CustomEvent("themechange"));
  return on;
}

/**
 * Call `listener` whenever colours may differ.
 * @param {() => void} listener
 */
export function onThemeChange(listener) {
  document.addEventListener("themechange", listener);
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"])
    matchMedia(query).addEventListener("change", listener);
}
