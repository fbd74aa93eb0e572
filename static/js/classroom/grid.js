/** The grid of a class as values: sorting, sums, and what a cell says. No page here. */

/** How urgently somebody needs help: stuck first, the longest first; then tries; then who is behind. */
export function need(student) {
  const cells = Object.values(student.cells);
  const stuck = cells.filter(([state]) => state === "stuck").map(([, , minutes]) => minutes);
  const tries = cells.filter(([state]) => state === "working").map(([, attempts]) => attempts);
  const done = cells.filter(([state]) => state === "done").length;
  return [stuck.length ? 1 : 0, Math.max(0, ...stuck), Math.max(0, ...tries), -done];
}

/** Students in an order: by need, by name, or by progress. */
export function sorted(students, by) {
  const name = (a, b) => a.name.localeCompare(b.name);
  const done = (student) => Object.values(student.cells).filter(([state]) => state === "done").length;
  const orders = {
    name,
    progress: (a, b) => done(b) - done(a) || name(a, b),
    need: (a, b) => compare(need(b), need(a)) || name(a, b),
  };
  return [...students].sort(orders[by] ?? orders.need);
}

function compare(a, b) {
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return a[at] - b[at];
  return 0;
}

/** For each exercise how many are done, working and stuck. */
export function sums(students, slugs) {
  const counts = Object.fromEntries(slugs.map((slug) => [slug, { done: 0, working: 0, stuck: 0 }]));
  for (const student of students)
    for (const [slug, [state]] of Object.entries(student.cells)) if (counts[slug]) counts[slug][state] += 1;
  return counts;
}

/** How many students are stuck somewhere, and which share of everything is done. */
export function totals(students, slugs) {
  const cells = students.flatMap((student) => slugs.map((slug) => student.cells[slug]?.[0]));
  const all = students.length * slugs.length;
  return {
    online: students.filter((student) => student.online).length,
    stuck: students.filter((student) => Object.values(student.cells).some(([state]) => state === "stuck")).length,
    share: all ? Math.round((100 * cells.filter((state) => state === "done").length) / all) : null,
  };
}
