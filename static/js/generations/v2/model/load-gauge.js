/** L: how many messages the head lane takes at the tail, and a load asks for; it follows the rate at which messages leave (W32). */
import { limitedLanesOf } from "../../../model/places.js";
import { decimal, fill, gettext, number } from "../../../model/text.js";

/**
 * @import { QueueSnapshot, Values } from "../../../model/catalogue/types.js"
 * @import { LoadGauge } from "../../../model/generations.js"
 */

/** What the broker's own constant is, where the settings do not say (W1). */
const MOST = 2048;
/** The counter of the rate has whole messages of so many seconds, so that its thousandths are exact. */
const SECONDS = 1000;

/**
 * L = min(1 + floor(2 x egress), most); so it grows from this egress on. Infinity at the most.
 * @param {number} value
 * @param {number} most
 */
export const growsAt = (value, most) => (value >= most ? Infinity : value / 2);

/**
 * @param {QueueSnapshot} queue
 * @param {Values} settings
 * @returns {LoadGauge | null}
 */
export function loadGauge(queue, settings) {
  const { window: value, egress_per_1000_s: egress } = queue.counters;
  if (value === undefined) return null;
  const most = settings.window_cap ?? MOST;
  const next = growsAt(value, most);
  const rates = { rate: decimal(egress / SECONDS, 3), next: decimal(next), n: number(value), more: number(value + 1), most: number(most) };
  return {
    lane: limitedLanesOf(queue, "contents")[0],
    name: "L",
    value,
    most,
    formula: fill(gettext("1 + twice the egress, at most %(most)s"), rates),
    rate: fill(gettext("egress %(rate)s/s"), rates),
    text: fill(
      next === Infinity
        ? gettext("L is %(n)s, its maximum: messages leave at %(rate)s a second, as the queue measured it last.")
        : gettext("L is %(n)s of at most %(most)s: messages leave at %(rate)s a second, as the queue measured it last. From %(next)s a second on it is %(more)s."),
      rates,
    ),
  };
}
