/** The grid of a class as values: sorting, sums, and the text of a cell. No page here. */

/**
 * What a student has done of an exercise. Minutes: so far without a right step, or until it was done.
 * @typedef {"first" | "later" | "working" | "wrong" | "help"} CellState
 * @typedef {[state: CellState, attempts: number, minutes: number]} Cell
 */

/**
 * A line of the grid as the server sends it (playground/classroom/selectors.py); `mix` counts alphas, betas, gammas and deltas, and
 * last all ready messages.
 * @typedef {(one: Student, other: Student) => number} Order which of two comes first
 * @typedef {{ id: number, name: string, online: boolean, pushed?: boolean, cells: Record<string, Cell>, now?: string | null, session?: string | null, mix?: number[] | null }} Student
 */

/**
 * States of a cell that is begun, from the best to the one where a student needs help.
 * @type {CellState[]}
 */
export const STATES = ["first", "later", "working", "wrong", "help"];

/** @param {CellState | undefined} state */
const isDone = (state) => state === "first" || state === "later";
/** @param {Student} student */
const doneOf = (student) => Object.values(student.cells).filter(([state]) => isDone(state)).length;

/**
 * How urgently a student needs help: first those who need it, the longest wait first; then wrong answers; then those who are behind.
 * @param {Student} student
 */
export function need(student) {
  const cells = Object.values(student.cells);
  const help = cells.filter(([state]) => state === "help").map(([, , minutes]) => minutes);
  const wrong = cells.filter(([state]) => state === "wrong").map(([, attempts]) => attempts);
  return [help.length ? 1 : 0, Math.max(0, ...help), Math.max(0, ...wrong), -doneOf(student)];
}

/**
 * Students in an order: by need, by name, or by progress.
 * @param {Iterable<Student>} students
 * @param {string} by
 */
export function sorted(students, by) {
  /** @type {Order} */
  const name = (a, b) => a.name.localeCompare(b.name);
  /** @type {Record<string, Order>} */
  const orders = {
    name,
    progress: (a, b) => doneOf(b) - doneOf(a) || name(a, b),
    need: (a, b) => compare(need(b), need(a)) || name(a, b),
  };
  return [...students].sort(orders[by] ?? orders.need);
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
function compare(a, b) {
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return a[at] - b[at];
  return 0;
}

/**
 * For each exercise how many students are in which state.
 * @param {Iterable<Student>} students
 * @param {string[]} slugs
 */
export function sums(students, slugs) {
  const none = () => Object.fromEntries(STATES.map((state) => [state, 0]));
  const counts = Object.fromEntries(slugs.map((slug) => [slug, none()]));
  for (const student of students)
    for (const [slug, [state]] of Object.entries(student.cells)) if (counts[slug]) counts[slug][state] += 1;
  return counts;
}

/**
 * How many students are here, how many need help, and which share of everything is done.
 * @param {Student[]} students
 * @param {string[]} slugs
 */
export function totals(students, slugs) {
  const cells = students.flatMap((student) => slugs.map((slug) => student.cells[slug]?.[0]));
  const all = students.length * slugs.length;
  return {
    online: students.filter((student) => student.online).length,
    help: students.filter((student) => Object.values(student.cells).some(([state]) => state === "help")).length,
    share: all ? Math.round((100 * cells.filter(isDone).length) / all) : null,
  };
}
