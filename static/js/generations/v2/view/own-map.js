/** The files of a queue of version 2 on their canvas: what waits for them above, below it each segment with its two files. */
import { perFile } from "../../../model/generations.js";
import { locate } from "../../../model/messages.js";
import { holding } from "../../../model/stretches.js";
import { bytes, fill, gettext, ngettext, number } from "../../../model/text.js";
import { paintMeter } from "../../../view/files/dials.js";
import { indexBuffer, messageAt, messageSpots, ownScene } from "../layout/own-map.js";
import { bodiesBuffer } from "../model/bytes.js";
import { paintOwn, paintOwnFolded } from "./paint.js";

/**
 * @import { FilesState } from "../../../model/catalogue/types.js"
 * @import { QueueMap } from "../../../model/generations.js"
 */

/** Height of the two meters, and the room between them. */
const HEAD = 30;
const GAP = 16;
const METER = 240;

/** @type {QueueMap} */
export const OWN_MAP = {
  title: () => gettext("The queue's own files"),
  fsyncs: false,

  paint(pen, { width, height, queue, session, chosen }) {
    const { state } = session;
    /** @type {FilesState | undefined} */
    const files = queue?.own.files;
    const size = perFile(state, queue);
    const open = chosen === null ? null : Math.floor(chosen / size);
    const own = ownScene(queue, size, width, height - HEAD, open);
    const { entries, acks } = indexBuffer(files);
    const room = Math.min(METER, (width - GAP) / 2);
    const most = queue ? bodiesBuffer(state, queue) : 1;
    const waiting = files?.waiting_bytes ?? 0;
    paintMeter(pen, 0, 0, room, {
      title: gettext("Index buffer"),
      text: fill(gettext("%(n)s of %(most)s"), { n: number(entries + acks), most: number(size) }),
      share: (entries + acks) / size,
      hatched: true,
    });
    paintMeter(pen, room + GAP, 0, room, {
      title: gettext(".qs buffer"),
      text: fill(gettext("%(n)s of %(most)s"), { n: bytes(waiting), most: bytes(most) }),
      share: waiting / most,
      hatched: true,
    });
    pen.save();
    pen.translate(0, HEAD);
    for (const item of own.items) (item.folded ? paintOwnFolded : paintOwn)(pen, item);
    pen.restore();
    const note = noteOf(own);
    return {
      scene: { own },
      note,
      label: fill(
        gettext("Files of the queue: %(text)s; segments: %(segments)s. In the index's write buffer entries: %(entries)s, acks: %(acks)s; in that of .qs: %(waiting)s."),
        { text: note, segments: number(own.segments), entries: number(entries), acks: number(acks), waiting: bytes(waiting) },
      ),
    };
  },

  at({ own }, queue, x, y) {
    const seq = messageAt(own, queue, x, y - HEAD);
    if (seq === null) return null;
    return holding(queue.own.files.slots, seq) || locate(queue, seq) ? seq : null;
  },

  spots({ own }, _, queue, seq) {
    return messageSpots(own, queue, seq).map((box) => ({ ...box, y: box.y + HEAD }));
  },
};

/**
 * What the files have in a few words: live slots, dead bodies, holes, what was not read since a start.
 * @param {ReturnType<typeof ownScene>} own
 */
function noteOf(own) {
  const live = fill(ngettext("%(live)s live slot, %(size)s per segment", "%(live)s live slots, %(size)s per segment", own.live), {
    live: number(own.live),
    size: number(own.size),
  });
  const values = { n: number(own.unread), bytes: bytes(own.unreadBytes) };
  // A start reads no body that its index does not want: once every live slot is known, what is left is over.
  const old = () => (own.unreadBytes ? fill(gettext("%(bytes)s dead or never written before the start; the start reads none of it"), values) : "");
  const unread = own.unread ? fill(ngettext("%(n)s live slot not read since the start; its body is among %(bytes)s, with dead ones", "%(n)s live slots not read since the start; their bodies are among %(bytes)s, with dead ones", own.unread), values) : old();
  const bodies = own.bytes ? fill(gettext(".qs %(bytes)s"), { bytes: bytes(own.bytes) }) : "";
  const dead = own.dead ? fill(gettext("%(n)s dead"), { n: number(own.dead) }) : "";
  const holes = own.holes ? fill(gettext("%(bytes)s never written"), { bytes: bytes(own.holes) }) : "";
  return [live, unread, bodies, dead, holes].filter(Boolean).join(" \u00b7 ");
}
