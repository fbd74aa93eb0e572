/** Where a card stands beside something: a place on the screen that covers none of it. Pure. */

const GAP = 12;
const MARGIN = 8;

/**
 * {x, y} for a card of some size, beside the box `of` in a window: on its right, on its left, below it or above it, whichever
 * there is room for first; null where it would cover the box wherever it stood.
 * @param {{ top: number, bottom: number, left: number, right: number }} of
 * @param {{ width: number, height: number }} card
 * @param {number} width
 * @param {number} height
 */
export function beside(of, card, width, height) {
  /**
   * @param {number} at
   * @param {number} size
   * @param {number} most
   */
  const within = (at, size, most) => Math.max(MARGIN, Math.min(most - size - MARGIN, at));
  const middle = within((of.top + of.bottom - card.height) / 2, card.height, height);
  const centre = within((of.left + of.right - card.width) / 2, card.width, width);
  const places = [
    { x: of.right + GAP, y: middle },
    { x: of.left - GAP - card.width, y: middle },
    { x: centre, y: of.bottom + GAP },
    { x: centre, y: of.top - GAP - card.height },
  ];
  /** @param {{ x: number, y: number }} given */
  const fits = ({ x, y }) => x >= MARGIN && y >= MARGIN && x + card.width <= width - MARGIN && y + card.height <= height - MARGIN;
  return places.find(fits) ?? null;
}
