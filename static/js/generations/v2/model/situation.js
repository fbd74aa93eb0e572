/** The situation of a queue of version 2 in one sentence: what waits in RAM, what on disk, and what the next take does. */
import { EXTENT as E, IN_RAM } from "../../../model/catalogue/rows.js";
import { limitedLanesOf } from "../../../model/places.js";
import { rowsOf } from "../../../model/messages.js";
import { onlyHeld, sentence } from "../../../model/situation.js";
import { fill, ngettext, number } from "../../../model/text.js";

/** @import { Figures } from "../../../model/facts.js" */

/**
 * {text, tone} of a queue that is not empty, without an alarm.
 * @param {Figures} now
 */
export function situationOf(now) {
  if (!now.ready) return onlyHeld(now);
  if (now.onlyCounted > 0) return now.limited > 0 ? both(now) : tailOnly(now);
  return headOnly(now);
}

/** How many messages a load asks for now (W32). @param {Figures} now */
const windowOf = (now) => now.counters.window ?? 1;

/** @param {Figures} now */
function both(now) {
  const text = ngettext("The head lane has %(head)s message, the tail %(tail)s on disk; a load asks for up to %(window)s (L).", "The head lane has %(head)s messages, the tail %(tail)s on disk; a load asks for up to %(window)s (L).", now.limited);
  return sentence("delta", text, { head: number(now.limited), tail: number(now.onlyCounted), window: number(windowOf(now)) });
}

/** @param {Figures} now */
function tailOnly(now) {
  const most = Math.min(windowOf(now), now.onlyCounted);
  const text = ngettext(
    "The head lane is empty: the next take first loads up to %(n)s message from the tail.",
    "The head lane is empty: the next take first loads up to %(n)s messages from the tail.",
    most,
  );
  return sentence("delta", text, { n: number(most) });
}

/** @param {Figures} now */
function headOnly(now) {
  const [head] = limitedLanesOf(now.queue, "contents");
  const onDisk = rowsOf(now.queue, head).reduce((sum, row) => sum + (row[E.flags] & IN_RAM ? 0 : row[E.count]), 0);
  const whole = ngettext(
    "%(n)s message waits in the head lane, and the tail is empty.",
    "%(n)s messages wait in the head lane, and the tail is empty.",
    now.limited,
  );
  if (!onDisk) return sentence("alpha", whole, { n: number(now.limited) });
  const more = ngettext("The content of %(n)s of them is read when its turn comes.", "The contents of %(n)s of them are read when their turn comes.", onDisk);
  return { tone: "gamma", text: `${fill(whole, { n: number(now.limited) })} ${fill(more, { n: number(onDisk) })}` };
}
