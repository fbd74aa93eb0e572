/** Light or dark: the choice is a cookie, so that the server renders the right one at once. */

const YEAR_S = 31536000;

/** The theme in force now. */
export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Choose a theme and remember it. */
export function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme};path=/;max-age=${YEAR_S};samesite=lax`;
  document.dispatchEvent(new CustomEvent("themechange"));
}

/** Change to the other theme. */
export function toggleTheme() {
  setTheme(currentTheme() === "dark" ? "light" : "dark");
}

/** Call `listener` whenever colours may differ. */
export function onThemeChange(listener) {
  document.addEventListener("themechange", listener);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
}
