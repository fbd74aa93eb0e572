/** A film of a stretch of a run: how long it is, how large, and which moment each of its pictures shows. */

export const MOST_SECONDS = 30;
export const MOST_PIXELS = 960;
/** Hundredths of a second for which a picture stands. */
export const PICTURE = 10;

/**
 * What is filmed: {fromUs, toUs, pictures}, within the run and its bounds; null where nothing is between. `from` and `to` are
 * seconds of the run, `lasts` the seconds of the film; `startUs` and `nowUs` bound what is known of the run.
 * @param {{ from: number, to: number, lasts: number }} given
 * @param {number} startUs
 * @param {number} nowUs
 */
export function filmOf({ from, to, lasts }, startUs, nowUs) {
  /** @param {number} s */
  const within = (s) => Math.min(nowUs, Math.max(startUs, Math.round(s * 1e6)));
  if (![from, to, lasts].every(Number.isFinite)) return null;
  const [fromUs, toUs] = [within(from), within(to)];
  if (toUs <= fromUs) return null;
  return { fromUs, toUs, pictures: Math.round((Math.min(MOST_SECONDS, Math.max(1, lasts)) * 100) / PICTURE) };
}

/**
 * The moment of the run that a picture shows: the first one the beginning, the last one the end.
 * @param {{ fromUs: number, toUs: number, pictures: number }} film
 * @param {number} at
 */
export function momentOf({ fromUs, toUs, pictures }, at) {
  return Math.round(fromUs + ((toUs - fromUs) * at) / (pictures - 1));
}

/**
 * The size of the pictures in pixels, and their scale.
 * @param {number} width
 * @param {number} height
 */
export function sheetOf(width, height) {
  const scale = Math.min(1, MOST_PIXELS / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)), scale };
}
