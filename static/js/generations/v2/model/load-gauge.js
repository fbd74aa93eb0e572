/** L: how many messages the head lane takes at the tail, and a load asks for; it follows the rate at which messages leave (W32). */
import { limitedLanesOf } from "../../../model/places.js";
import { decimal, fill, gettext, number } from "../../../model/text.js";

/**
 * @import { QueueState, Values } from "../../../model/catalogue/types.js"
 * @import { LoadGauge } from "../../../model/generations.js"
 */

/** What the broker's own constant is, where the settings do not say (W1). */
const MOST = 2048;

/**
 * L = min(1 + floor(2 x egress), most), so L alone says between which rates the egress is: [from, to), to is Infinity at the most.
 * @param {number} value
 * @param {number} most
 * @returns {[from: number, to: number]}
 */
export const egressOf = (value, most) => [(value - 1) / 2, value >= most ? Infinity : value / 2];

/**
 * @param {QueueState} queue
 * @param {Values} settings
 * @returns {LoadGauge | null}
 */
export function loadGauge(queue, settings) {
  const value = queue.counters.window;
  if (value === undefined) return null;
  const most = settings.window_cap ?? MOST;
  const [from, to] = egressOf(value, most);
  const rates = { from: decimal(from), to: decimal(to), n: number(value), most: number(most) };
  const rate = to === Infinity ? gettext("egress %(from)s/s or more") : gettext("egress %(from)s/s to below %(to)s/s");
  return {
    lane: limitedLanesOf(queue, "contents")[0],
    name: "L",
    value,
    most,
    formula: fill(gettext("1 + twice the egress, at most %(most)s"), rates),
    rate: fill(rate, rates),
    text: fill(
      to === Infinity
        ? gettext("L is %(n)s, the most there is: messages leave at %(from)s a second or faster.")
        : gettext("L is %(n)s of at most %(most)s: messages leave at %(from)s to below %(to)s a second."),
      rates,
    ),
  };
}
