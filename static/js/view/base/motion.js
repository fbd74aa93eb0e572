/** What everything that travels on the page has in common. */

/** Above this speed nothing travels: it would still be on its way when time has gone on. */
export const CALM_SPEED = 4;

/**
 * @param {number} t
 * @param {number} first
 * @param {number} second
 */
const curve = (t, first, second) => 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t * t * second + t ** 3;

/**
 * The ease of the design, cubic-bezier(.45, 0, .2, 1): the parameter is found by halving.
 * @param {number} x
 */
export function ease(x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  let low = 0;
  let high = 1;
  for (let i = 0; i < 12; i += 1) {
    const middle = (low + high) / 2;
    if (curve(middle, 0.45, 0.2) < x) low = middle;
    else high = middle;
  }
  return curve((low + high) / 2, 0, 1);
}
