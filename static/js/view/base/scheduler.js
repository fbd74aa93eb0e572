/**
 * One animation frame for the whole page: first everything that draws, then everything that changes the page. A canvas reads
 * the page's style whenever it is given a font, so changing the page between two drawings would compute the style twice.
 * And what everything that travels from frame to frame has in common.
 */

const actions = new Map();
const drawings = new Map();
let requested = false;

function request() {
  if (requested) return;
  requested = true;
  requestAnimationFrame(run);
}

/**
 * Act once in the next frame, after its drawings, or still in this one; a later call under the same key replaces an earlier one.
 * @param {unknown} key
 * @param {(now: number) => void} action
 */
export function act(key, action) {
  actions.set(key, action);
  request();
}

/**
 * Draw in the next frame; a drawing that returns true is not finished and comes again.
 * @param {unknown} key
 * @param {(now: number) => unknown} drawing
 */
export function draw(key, drawing) {
  drawings.set(key, drawing);
  request();
}

/** @param {number} now */
function run(now) {
  try {
    const drawn = [...drawings];
    drawings.clear();
    for (const [key, drawing] of drawn) {
      if (drawing(now) && !drawings.has(key)) drawings.set(key, drawing);
    }
    const acting = [...actions.values()];
    actions.clear();
    for (const action of acting) action(now);
  } finally {
    requested = false;
    if (drawings.size || actions.size) request();
  }
}

const SLOW_MS = 100;
const SLOW_FRAMES = 2;

/** How fast frames come: where a device draws fewer than ten in a second, what travels would never arrive. */
export class Pace {
  constructor() {
    this.last = -Infinity;
    this.slowFrames = 0;
  }

  /**
   * A frame is drawn at `now`; `awaited` if the one before asked for it. A pause in which none was asked for is not slow.
   * @param {number} now
   * @param {boolean} awaited
   */
  frame(now, awaited) {
    const took = now - this.last;
    this.last = now;
    if (awaited && took > SLOW_MS) this.slowFrames += 1;
    else this.slowFrames = 0;
  }

  /** Whether pictures change in one step for now. */
  get slow() {
    return this.slowFrames >= SLOW_FRAMES;
  }
}

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
