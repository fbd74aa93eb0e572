/** The index on the canvas of a queue's own files: the journal above, below it each segment as a map of its entries. */
import { ENTRY as N } from "../../../model/catalogue/rows.js";
import { shownQueue } from "../../../model/shown.js";
import { holding } from "../../../model/stretches.js";
import { bytes, fill, ngettext, number } from "../../../model/text.js";
import { write } from "../../../view/base/pen.js";
import { colors } from "../../../view/base/colors.js";
import { clockOf, paintClock } from "../../../view/files/dials.js";
import { goneText } from "../../../view/files/paint.js";
import { entryAt, entrySpot } from "../../../layout/segments.js";
import { indexScene } from "../layout/index-map.js";
import { entryOf } from "../model/bytes.js";
import { journalBox, paintFolded, paintJournal, paintSegment } from "./paint.js";

/** @import { QueueMap } from "../../../model/generations.js" */

const HEAD = 24;
/** How long an idle queue waits for more before it syncs its journal (P2). */
const SYNC_MS = 200;
/** Narrower than this there is no room for the clock's words. */
const WORDS_FIT = 340;

/** @type {QueueMap} */
export const INDEX_MAP = {
  paint(pen, { width, height, queue, session, chosen }) {
    const { state } = session;
    const name = shownQueue(state);
    const open = chosen === null ? null : entryOf(state, chosen).segment;
    const index = indexScene(state, queue, width, height - HEAD, open);
    const waiting = name === null ? undefined : session.unsynced.journals[name];
    const period = state.node.settings.queue_sync_interval_ms ?? SYNC_MS;
    const clock = paintClock(pen, width - 12, 9.5, clockOf(waiting, session.nowUs, period));
    let free = width - 24;
    if (clock.short && width > WORDS_FIT) {
      write(pen, clock.short, free, 13, { size: 12, family: colors.sans, color: colors.ink3, align: "right" });
      free -= pen.measureText(clock.short).width + 10;
    }
    paintJournal(pen, width, index.journal, free);
    pen.save();
    pen.translate(0, HEAD);
    for (const item of index.items) (item.folded ? paintFolded : paintSegment)(pen, item);
    pen.restore();
    const live = fill(ngettext("%(records)s live record, %(size)s per segment", "%(records)s live records, %(size)s per segment", index.records), {
      records: number(index.records),
      size: number(index.size),
    });
    const gone = name === null ? "" : goneText(session.deletedSegments(name), "idx");
    const note = [live, gone].filter(Boolean).join(" · ");
    return {
      scene: { width, index },
      note,
      label: fill(ngettext("Queue index: %(text)s, %(segments)s segment, journal %(journal)s", "Queue index: %(text)s, %(segments)s segments, journal %(journal)s", index.segments), {
        text: note,
        segments: number(index.segments),
        journal: `${bytes(index.journal.bytes + index.journal.buffered)}, ${clock.text}`,
      }),
    };
  },

  at({ index }, queue, x, y) {
    const seq = entryAt(index, x, y - HEAD);
    return seq !== null && holding(queue.own.index.entries, seq) ? seq : null;
  },

  spots({ width, index }, state, queue, seq) {
    const entry = holding(queue.own.index.entries, seq);
    if (!entry) return [];
    const box = entrySpot(index, entryOf(state, seq));
    const found = box ? [{ ...box, y: box.y + HEAD }] : [];
    return entry[N.code] >> 3 === 0 ? [...found, journalBox(width)] : found;
  },
};
