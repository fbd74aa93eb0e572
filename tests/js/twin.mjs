/**
 * Of each run [{rows, named, concerns, permitted, state}, ...]: reads the rows by name, says which group and queue they
 * concern and what happened in words, folds them and compares with the node's own snapshots, says how many betas a
 * queue may keep; then goes back to each snapshot through the page's history.
 */
import { permittedBetas } from "../../static/js/generations/v1/layout/permitted.js";
import { canonical, differences } from "../../static/js/model/canonical.js";
import { KINDS } from "../../static/js/model/catalogue/kinds.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { History } from "../../static/js/model/history.js";
import { groupOf, queueOf } from "../../static/js/model/kinds.js";
import { emptyState, fold } from "../../static/js/model/reduce.js";
import { narrate } from "../../static/js/model/why.js";
import { eachRun, fail, same } from "./asking.mjs";

const EVERY = 37;

function played(t) {
  if (KINDS[t.kind].shown === "step") return;
  const { text, glyph } = narrate(t);
  if (!text || !glyph || text === t.kind || /%\(|undefined|NaN|\[object/.test(text)) fail(canonical(t), [text]);
}

function follow(step, at, state, history) {
  for (const [place, row] of step.rows.entries()) {
    const t = decode(row);
    same(`row ${canonical(row)} by name`, canonical(t), canonical(step.named[place]));
    same(`what ${t.kind} concerns`, [groupOf(t), queueOf(t)], step.concerns[place]);
    played(t);
    fold(state, t);
    history.add(t, at, state);
  }
  fail(`step ${at}`, differences(state, step.state));
  for (const [name, permitted] of Object.entries(step.permitted))
    same(
      `betas that ${name} may keep at step ${at}`,
      permittedBetas(state.queues[name], state.node.settings.segment_entry_count),
      permitted,
    );
}

eachRun((steps) => {
  const state = emptyState();
  const history = new History({ every: EVERY, maxRows: Infinity, maxWeight: Infinity });
  history.snapshot(0, 0, state);
  const ends = steps.map((step, at) => {
    follow(step, at, state, history);
    return history.end;
  });
  for (const [at, step] of steps.entries())
    fail(`back at step ${at}`, differences(history.stateAt(ends[at]), step.state));
});
