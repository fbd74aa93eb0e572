/** The grid of a class as values: sorting, sums, and what a cell says. No page here. */

/** States of a cell that is begun, from the best to the one that needs somebody. */
export const STATES = ["first", "later", "working", "wrong", "help"];

const isDone = (state) => state === "first" || state === "later";
const doneOf = (student) => Object.values(student.cells).filter(([state]) => isDone(state)).length;

/** How urgently somebody needs help: who needs it, the longest first; then wrong answers; then who is behind. */
export function need(student) {
  const cells = Object.values(student.cells);
  const help = cells.filter(([state]) => state === "help").map(([, , minutes]) => minutes);
  const wrong = cells.filter(([state]) => state === "wrong").map(([, attempts]) => attempts);
  return [help.length ? 1 : 0, Math.max(0, ...help), Math.max(0, ...wrong), -doneOf(student)];
}

/** Students in an order: by need, by name, or by progress. */
export function sorted(students, by) {
  const name = (a, b) => a.name.localeCompare(b.name);
  const orders = {
    name,
    progress: (a, b) => doneOf(b) - doneOf(a) || name(a, b),
    need: (a, b) => compare(need(b), need(a)) || name(a, b),
  };
  return [...students].sort(orders[by] ?? orders.need);
}

function compare(a, b) {
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return a[at] - b[at];
  return 0;
}

/** For each exercise how many students are in which state. */
export function sums(students, slugs) {
  const none = () => Object.fromEntries(STATES.map((state) => [state, 0]));
  const counts = Object.fromEntries(slugs.map((slug) => [slug, none()]));
  for (const student of students)
    for (const [slug, [state]] of Object.entries(student.cells)) if (counts[slug]) counts[slug][state] += 1;
  return counts;
}

/** How many students are here, how many need help, and which share of everything is done. */
export function totals(students, slugs) {
  const cells = students.flatMap((student) => slugs.map((slug) => student.cells[slug]?.[0]));
  const all = students.length * slugs.length;
  return {
    online: students.filter((student) => student.online).length,
    help: students.filter((student) => Object.values(student.cells).some(([state]) => state === "help")).length,
    share: all ? Math.round((100 * cells.filter(isDone).length) / all) : null,
  };
}
