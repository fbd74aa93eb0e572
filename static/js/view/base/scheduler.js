/** One animation frame for the whole page: first everything that acts, then everything that draws. */

const actions = new Map();
const drawings = new Map();
let requested = 0;

function request() {
  if (!requested) requested = requestAnimationFrame(run);
}

/** Act once in the next frame; a later call under the same key replaces an earlier one. */
export function act(key, action) {
  actions.set(key, action);
  request();
}

/** Act in the frame after the next one: work that need not be in one frame with the rest is not. */
export function actLater(key, action) {
  act(`${key}, first`, () => act(key, action));
}

/** Draw in the next frame; a drawing that returns true is not finished and comes again. */
export function draw(key, drawing) {
  drawings.set(key, drawing);
  request();
}

function run(now) {
  requested = 0;
  const acting = [...actions.values()];
  actions.clear();
  for (const action of acting) action(now);
  const drawn = [...drawings];
  drawings.clear();
  for (const [key, drawing] of drawn) {
    if (drawing(now) && !drawings.has(key)) drawings.set(key, drawing);
  }
  if (drawings.size) request();
}
