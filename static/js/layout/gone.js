/** Files are numbered without holes: the numbers that are missing below the newest were deleted. */

/**
 * {count, first, last} of the numbers in [0, top) that are not among `numbers` (ascending).
 * @param {number[]} numbers
 * @param {number} top
 */
export function goneBelow(numbers, top) {
  const there = numbers.filter((number) => number < top);
  const count = top - there.length;
  if (count <= 0) return { count: 0, first: null, last: null };
  let first = 0;
  for (const number of there) if (number === first) first += 1;
  let last = top - 1;
  for (const number of there.toReversed()) if (number === last) last -= 1;
  return { count, first, last };
}
