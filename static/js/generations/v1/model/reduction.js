/** The reduction of memory in steps, those that did nothing included (Q45, Q53). */
import { fill, gettext, number } from "../../../model/text.js";

/** @import { Values } from "../../../model/catalogue/types.js" */

/**
 * Why a reduction did what it did.
 * @param {Values} why
 */
export function reductionReason(why) {
  if (why.surplus > 0)
    return gettext("RAM holds more content than the target allows. What is needed last leaves.");
  if (why.betas_moved > 0)
    return gettext("q2 and q3 hold more index entries than may stay there. The rest rolls into delta.");
  return gettext("RAM holds no more than the target allows, so nothing had to move.");
}

/**
 * Steps in the order in which the broker takes them: {title, detail, value, off}.
 * @param {Values} why
 */
export function reductionSteps(why) {
  const acks = [pendingStep(why)];
  const alphas = "q1_moved" in why ? [firstPhase(why), secondPhase(why)] : [];
  const middle = why.order === "acks_first" ? [...acks, ...alphas] : [...alphas, ...acks];
  return [budgetStep(why), ...middle, betaStep(why)];
}

/** @param {Values} why */
function budgetStep(why) {
  const values = {
    ram: number(why.ram_msg_count),
    acks: number(why.ram_pending),
    target: number(why.target),
  };
  return {
    title: fill(gettext("Budget: %(ram)s + %(acks)s \u2212 %(target)s"), values),
    detail:
      why.quota !== undefined && why.quota < why.surplus
        ? fill(gettext("capped at %(cap)s in one go"), { cap: number(why.quota) })
        : gettext("contents in RAM minus the target"),
    value: why.quota ?? why.surplus ?? 0,
    off: !(why.surplus > 0),
  };
}

/** @param {Values} why */
function firstPhase(why) {
  return {
    title: gettext("q1 head \u2192 q2, or q3 while delta is empty"),
    detail:
      why.q1_moved > 0
        ? gettext("the newest are needed last")
        : idleReason(why, gettext("q1 is empty or the target is met")),
    value: why.q1_moved || 0,
    off: !why.q1_moved,
  };
}

/** @param {Values} why */
function secondPhase(why) {
  return {
    title: gettext("q4 tail \u2192 front of q3"),
    detail:
      why.q4_moved > 0
        ? gettext("stops as soon as the target is met")
        : idleReason(why, gettext("the target is met already")),
    value: why.q4_moved || 0,
    off: !why.q4_moved,
  };
}

/** @param {Values} why */
function pendingStep(why) {
  const first = why.order === "acks_first";
  return {
    title: gettext("Unacked contents \u2192 disk"),
    detail: first
      ? gettext("first: unacked messages grow faster")
      : gettext("last: whatever is left of the budget"),
    value: why.pending_paged || 0,
    off: !why.pending_paged,
  };
}

/**
 * @param {Values} why
 * @param {string} otherwise
 */
function idleReason(why, otherwise) {
  if (!(why.surplus > 0)) return gettext("no budget");
  return why.blocked ? gettext("waits for credit from the store") : otherwise;
}

/** @param {Values} why */
function betaStep(why) {
  const values = {
    betas: number(why.betas),
    permitted: number(why.permitted),
    surplus: number(why.beta_surplus),
    batch: number(why.io_batch_size),
  };
  return {
    title: gettext("q2 + q3 \u2192 delta"),
    detail: betaReason(why, values),
    value: why.betas_moved || 0,
    off: !why.betas_moved,
  };
}

/**
 * @param {Values} why
 * @param {Values} values
 */
function betaReason(why, values) {
  if (why.permitted === null) return gettext("the queue is empty: any number may stay");
  if (why.io_batch_size === undefined) return fill(gettext("%(permitted)s may stay in q3"), values);
  if (why.beta_surplus >= why.io_batch_size && why.beta_surplus > 0 && !why.betas_moved) {
    return gettext("q3 keeps the segment of its head");
  }
  const sum = gettext("%(betas)s held, %(permitted)s may stay: %(surplus)s too many; they move from %(batch)s too many on");
  return why.beta_surplus > 0
    ? fill(sum, values)
    : fill(gettext("%(betas)s held, %(permitted)s may stay"), values);
}
