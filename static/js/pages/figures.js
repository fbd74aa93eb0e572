/** Pages with small figures: each is fetched when it comes near, plays while it is seen, and stops when it is not. */
import "../generations/all.js";
import { Figure } from "../view/stage/figure.js";
import { findAll, show } from "../view/base/dom.js";

const figures = new Map(findAll("[data-lead]").map((root) => [/** @type {Element} */ (root), new Figure(root)]));

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const figure = figures.get(target);
      if (isIntersecting) figure?.seen();
      else figure?.stop();
    }
  },
  { threshold: 0.6 },
);
for (const root of figures.keys()) {
  show(/** @type {HTMLElement} */ (root), true);
  watcher.observe(root);
}
