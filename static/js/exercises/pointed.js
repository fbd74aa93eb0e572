/** Which row of conditions a pointing fills. No page here. */

/**
 * The row that was chosen, if it is empty, else the first that is; where none is, the chosen one, else the last.
 * A teacher who has just written the words of a row goes on with the next one.
 * @param {string[]} observables what each row is about, "" where nothing yet
 * @param {number} active the row that has the focus, -1 for none
 * @returns {number}
 */
export function pointed(observables, active) {
  const empty = active >= 0 && observables[active] === "" ? active : observables.indexOf("");
  if (empty >= 0) return empty;
  return active >= 0 ? active : observables.length - 1;
}
