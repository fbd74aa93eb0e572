/** The ways in which a page comes to the rows of one run: live, in frames, and late, with the past asked for afterwards. */
import { decode } from "../../../static/js/model/catalogue/rows.js";
import { History } from "../../../static/js/model/history.js";
import { takePast } from "../../../static/js/model/past.js";
import { emptyState, fold } from "../../../static/js/model/reduce.js";
import { Session } from "../../../static/js/model/session.js";

const all = () => new History({ every: 50, maxRows: Infinity, maxWeight: Infinity });

/** A session that joins a run at a state. */
export function sessionAt(next, us, state) {
  const session = new Session(all());
  session.snapshot({ next, at_us: us, state, digest: "", skipped: null, why: "join" });
  return session;
}

/** The rows in frames of at most `size`; `pass` lets time go by between them. */
export function framed(session, rows, atUs, size, pass = false) {
  for (let first = session.next; first < rows.length; first += size) {
    const times = atUs.slice(first, first + size);
    session.frame({ first, rows: rows.slice(first, first + size), at_us: times, now_us: times.at(-1), play: pass, speed: 1 });
    if (pass) session.pass(1e6 + first);
  }
  return session;
}

/** The state after so many rows. */
export function stateAfter(rows, count) {
  const state = emptyState();
  for (const row of rows.slice(0, count)) fold(state, decode(row));
  return state;
}

/** A page that came after so many rows and asked for what was before. */
export function late(rows, atUs, count) {
  const session = sessionAt(count, atUs[count - 1], stateAfter(rows, count));
  takePast(session, { stretches: [{ first: 0, us: 0, rows: rows.slice(0, count), at_us: atUs.slice(0, count) }], through: count });
  return framed(session, rows, atUs, 1);
}
