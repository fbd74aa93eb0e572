/** A `details` that lies over the page as a menu does: Escape and a press outside close it. */
import { need } from "./dom.js";

/**
 * Let it close: Escape reaches nothing else, and gives the focus back to what opened it. One whose panel is hidden is not seen,
 * so Escape is for what is.
 * @param {HTMLDetailsElement} details
 * @param {() => boolean} [liesOver] whether it does now
 */
export function closesLikeAMenu(details, liesOver = () => true) {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !details.open || details.getClientRects().length === 0 || !liesOver()) return;
      event.preventDefault();
      event.stopPropagation();
      details.open = false;
      need("summary", details).focus();
    },
    true,
  );
  document.addEventListener("pointerdown", ({ target }) => {
    if (details.open && target instanceof Node && !details.contains(target) && liesOver()) details.open = false;
  });
}
