/** What a stop keeps, loses and brings back, in words. */
import { total } from "./stretches.js";
import { fill, gettext, ngettext, number } from "./text.js";

/** @import { Fate } from "./fate.js" */

/**
 * [count, reasons] of what is lost, of what comes back: reasons are texts, without those that count nothing.
 * @param {Fate} fate
 */
export function reasonsOf({ unacked, acks, transient, unsynced }) {
  /**
   * @param {number} count
   * @param {string} text
   */
  const some = (count, text) => (count ? [fill(text, { n: number(count) })] : []);
  return {
    lost: [
      ...some(transient, gettext("%(n)s transient")),
      ...some(unsynced, gettext("%(n)s persistent, not safe on disk yet")),
    ],
    back: [
      ...some(unacked, gettext("%(n)s unacknowledged")),
      ...some(acks, gettext("%(n)s whose acks were not on disk")),
    ],
  };
}

/**
 * One line of what a stop did: "Restarted: 62 transient lost, 3 back".
 * @param {Fate} fate
 */
export function outcomeText(fate) {
  if (fate.foreign) {
    const there = fate.there ?? 0;
    const text = ngettext(
      "Started on files that were given: %(n)s message is there",
      "Started on files that were given: %(n)s messages are there",
      there,
    );
    return fill(text, { n: number(there) });
  }
  // Nothing was there before, as far as is known: files that were given may hold what this release cannot read.
  if (fate.there === 0 && !total(fate.kept) && !total(fate.lost) && !fate.unplaced)
    return gettext("Restarted: no message was found in the files");
  const { lost } = reasonsOf(fate);
  const parts = [
    lost.length
      ? fill(gettext("%(what)s lost"), { what: lost.join(gettext(", ")) })
      : gettext("nothing lost"),
  ];
  const back = total(fate.back);
  if (back) parts.push(fill(ngettext("%(n)s back", "%(n)s back", back), { n: number(back) }));
  return fill(gettext("Restarted: %(what)s"), { what: parts.join(gettext(", ")) });
}

/**
 * Why messages come back: "2 unacknowledged, 1 whose acks were not on disk are delivered again." Nothing where none do.
 * @param {Fate} fate
 */
export function returnText(fate) {
  if (fate.foreign) return "";
  const { back } = reasonsOf(fate);
  return back.length ? fill(gettext("Delivered again: %(what)s."), { what: back.join(gettext(", ")) }) : "";
}
