/** What publishers and consumers are doing, in a few words. */
import { stateName } from "./actor-states.js";
import { fill, gettext, number } from "./text.js";

/** @import { Values } from "./catalogue/types.js" */

/**
 * The stream, or a burst that still has something to do; a publisher that has nothing to do is not named.
 * @param {Values | null | undefined} publisher
 * @param {Values | null | undefined} burst
 */
export function publisherText(publisher, burst) {
  const actor =
    publisher && publisher.state !== "stopped"
      ? publisher
      : burst?.state === "blocked" || !publisher
        ? burst
        : publisher;
  const idle = actor === burst && actor?.state === "running" && !actor.waiting && !actor.unconfirmed;
  if (!actor || idle) return "";
  const state = stateName(actor.state);
  if (actor.waiting) return fill(gettext("%(state)s, %(n)s waiting"), { state, n: number(actor.waiting) });
  if (actor.unconfirmed)
    return fill(gettext("%(state)s, %(n)s unconfirmed"), { state, n: number(actor.unconfirmed) });
  return state;
}

/**
 * The consumer, or what is held by hand.
 * @param {Values | null | undefined} consumer
 * @param {number} held by hand
 */
export function consumerText(consumer, held) {
  if (consumer) {
    const state = stateName(consumer.state);
    return consumer.unacked || consumer.unsent
      ? fill(gettext("%(state)s, holds %(n)s"), { state, n: number(consumer.unacked || consumer.unsent) })
      : state;
  }
  return held ? fill(gettext("by hand: %(n)s held"), { n: number(held) }) : "";
}
