/** Seconds that are left, counted down on the page; a page whose time is over is loaded again, once. */
import { findAll } from "../view/base/dom.js";

/**
 * Seconds as minutes and seconds, 1:05.
 * @param {number} seconds
 */
export function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * Count down wherever the server wrote how much time is left; `over` is called when one of the countdowns ends.
 * @param {() => void} over
 */
export function countDown(over) {
  for (const place of findAll("[data-left]")) {
    const ends = performance.now() + 1000 * Number(place.dataset.left);
    const tick = () => {
      const left = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
      place.textContent = clock(left);
      if (left > 0) setTimeout(tick, 250);
      else if (Number(place.dataset.left) > 0) over();
    };
    tick();
  }
}
