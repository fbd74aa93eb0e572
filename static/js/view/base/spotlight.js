/** A part of the page is pointed at for a moment. */

const SPOTLIGHT_MS = 2500;
/** @type {Record<string, string>} */
const VIEWS = {
  stage: "#stage, .stage",
  files: "#files",
  why: "#why",
  narrative: ".recent",
  controls: "#controls",
  dock: "#dock",
  story: "#story",
};

/**
 * Point at a part of the page, and bring it into view where it is not.
 * @param {string} view
 */
export function spotlight(view) {
  const part = VIEWS[view] && document.querySelector(VIEWS[view]);
  if (!part) return;
  const box = part.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) part.scrollIntoView({ block: "nearest" });
  part.classList.add("spotlight");
  setTimeout(() => part.classList.remove("spotlight"), SPOTLIGHT_MS);
}
