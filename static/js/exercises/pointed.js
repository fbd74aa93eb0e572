/** Which row of conditions a pointing fills. No page here. */

/**
 * The row that was chosen, else the first that is empty, else the last.
 * @param {string[]} facts what each row is about, "" where nothing yet
 * @param {number} active the row that has the focus, -1 for none
 * @returns {number}
 */
export function pointed(facts, active) {
  if (active >= 0) return active;
  const empty = facts.indexOf("");
  return empty >= 0 ? empty : facts.length - 1;
}
