/** What the code of an index entry means (the twin of engine/fold/index_table.py). */

/**
 * Whether an index entry's code marks the message as acknowledged.
 * @param {number} code
 */
export function acked(code) {
  return code >> 3 === 3 || (code & 4) !== 0;
}
