/** A sentence, a glyph and a tone for the kinds of queues of version 2; `reason` is the general cause. */
import { EXTENT as E, IN_RAM } from "../../../model/catalogue/rows.js";
import { bytes, fill, gettext, ngettext, number } from "../../../model/text.js";
import { sentence } from "../../../model/why-sentence.js";

/** @import { Reasons, Words } from "../../../model/why-sentence.js" */

/**
 * @param {number} count
 * @param {{ segment: number, offset: number }} where
 */
const bodiesBuffered = (count, { segment, offset }) =>
  sentence(
    "\u270e",
    "plain",
    ngettext("%(count)s content waits for %(file)s.qs", "%(count)s contents wait for %(file)s.qs", count),
    gettext("Small contents go to the queue's own file, these from byte %(offset)s on. A full buffer, or a sync, writes them."),
    { count: number(count), file: segment, offset: number(offset) },
  );

/** kind -> (t, messages) -> {glyph, tone, text, reason, values}. */
/** @type {Words} */
export const WORDS = {
  TailLoaded: (t, n) =>
    sentence(
      "\u21e1",
      "delta",
      n > 0
        ? ngettext("%(n)s message loaded into the head lane", "%(n)s messages loaded into the head lane", n)
        : gettext("A load found nothing"),
      gettext("A load asks for messages within a window of %(window)s, and may end early at the end of a segment: it read from %(start)s to before %(end)s."),
    ),
  HeadReturned: () =>
    sentence(
      "\u21a9",
      "plain",
      gettext("The next message stays at the front"),
      gettext("It does not expire yet, and is put back with the mark that a take gives it."),
    ),
  SlotsBuffered: (t) =>
    t.action === "publish"
      ? sentence(
          "\u270e",
          "plain",
          ngettext("%(count)s index entry waits in RAM", "%(count)s index entries wait in RAM", t.count),
          gettext("A full buffer, or a sync, writes them to the segment's file."),
          { count: number(t.count) },
        )
      : sentence(
          "\u270e",
          "plain",
          ngettext("%(count)s acknowledgement for the index", "%(count)s acknowledgements for the index", t.count),
          gettext("What still waits in RAM is never written; the others will be slots of zeros."),
          { count: number(t.count) },
        ),
  IndexFileCreated: (t) =>
    sentence("\u25a4", "plain", gettext("%(file)s.qi begins"), gettext("A segment's file has its header at once."), {
      file: t.segment,
    }),
  IndexFlushed: (t) =>
    sentence(
      "\u21e3",
      "plain",
      t.full ? gettext("The index's buffer is written") : gettext("The index writes its acknowledgements"),
      gettext("Written: entries %(entries)s, acknowledgements %(acks)s; a buffer of %(limit)s is written whole. Handed to the operating system without fsync: it outlives a killed node, not a power cut."),
    ),
  IndexFileDeleted: (t) =>
    sentence(
      "\u2715",
      "plain",
      gettext("%(file)s.qi deleted"),
      gettext("No message from %(start)s to before %(end)s is left, so the file, with its %(size)s, is deleted at once."),
      { file: t.segment, size: bytes(t.bytes) },
    ),
  SlotsRead: (t) =>
    sentence(
      "\u25a4",
      "delta",
      gettext("%(file)s.qi read"),
      gettext("The entries from %(start)s to before %(end)s were neither in the buffer nor in the cache."),
      { file: t.segment },
    ),
  BodiesBuffered: (t) => bodiesBuffered(t.count, t),
  StretchesBuffered: (t, n) => bodiesBuffered(n, t),
  BodiesForgotten: (t) =>
    sentence(
      "\u2212",
      "plain",
      ngettext("%(count)s content is never written", "%(count)s contents are never written", t.count),
      gettext("Removed before it was written: %(size)s never reach the disk. Its place in the file stays empty."),
      { count: number(t.count), size: bytes(t.bytes) },
    ),
  BodiesWritten: (t) =>
    sentence(
      "\u21e3",
      "plain",
      gettext("Contents written to the queue's own files"),
      t.fsync
        ? gettext("An orderly stop makes them durable.")
        : gettext("Handed to the operating system without fsync: it outlives a killed node, not a power cut."),
    ),
  BodiesRead: (t) =>
    sentence(
      "\u25a4",
      "delta",
      ngettext("%(count)s content read from %(file)s.qs", "%(count)s contents read from %(file)s.qs", t.count),
      gettext("Messages %(first)s to %(last)s came from the file. The newest of them is neither in the write buffer nor among the last ones written, so all older ones of the load come from the file as well."),
      { count: number(t.count), file: t.segment, first: number(t.start), last: number(t.start + t.count - 1) },
    ),
  BodyFileDeleted: (t) =>
    sentence(
      "\u2715",
      "plain",
      gettext("%(file)s.qs deleted"),
      gettext("It is deleted with its index segment, and never earlier: one live message keeps all others in it."),
      { file: t.segment },
    ),
  FilesReset: () => sentence("\u2715", "plain", gettext("The queue's directory is deleted")),
  FilesFound: ({ clean, segments }) =>
    sentence(
      "\u25b6",
      "plain",
      gettext("The queue found its files"),
      clean
        ? gettext("After an orderly stop no segment is read: what was saved then says how many messages each one holds. Files of the index: %(files)s, live slots in them: %(live)s.")
        : gettext("Every slot is checked, and dropped if it does not agree with its content. Files of the index: %(files)s, live slots in them: %(live)s."),
      { files: number(segments.length), live: number(segments.reduce((sum, [, , live]) => sum + live, 0)) },
    ),
  CollectionTimed: (t) =>
    sentence(
      "\u23f1",
      "plain",
      t.fired ? gettext("Store %(store)s looks at its files") : gettext("Store %(store)s will look at its files"),
      t.fired
        ? gettext("The fifteen seconds are over for %(files)s. A file is compacted if less than half of it is valid; one that was touched again meanwhile waits for the next time.")
        : gettext("A message was removed from %(files)s. In fifteen seconds the store looks at it; a file that is touched by then waits for the next time."),
      { files: t.files.map((each) => `${each}.rdq`).join(", ") },
    ),
  FileCompacted: (t) =>
    sentence(
      "\u21f2",
      "gamma",
      gettext("%(file)s.rdq compacted in place"),
      gettext("%(valid)s of %(size)s were valid, less than half. Records that moved from its end into its gaps: %(moved)s."),
      { file: t.file, valid: bytes(t.why.valid), size: bytes(t.why.size), moved: number(t.why.moved) },
    ),
  FileCut: (t) =>
    sentence(
      "\u2702",
      "gamma",
      gettext("%(file)s.rdq cut to %(bytes)s"),
      gettext("After its last record, as soon as nobody reads it."),
      { file: t.file, bytes: bytes(t.size_bytes) },
    ),
};

/** @type {Reasons} */
export const REASONS = {
  Published: ({ to, why }) => {
    if (to === "head") return gettext("The tail is empty, and the head lane had %(head_len)s of the %(window)s that one load may bring (L): the content stays in RAM.");
    return why.tail_count > 0
      ? gettext("The tail's length was %(tail_count)s, so everything after it goes to disk at once, persistent or not.")
      : gettext("The head lane had %(head_len)s of the %(window)s that one load may bring (L): it is full, so the rest goes to disk at once, persistent or not.");
  },
  Fetched: ({ to }) => {
    if (to === null) return gettext("The oldest message of the head lane. It needs no acknowledgement, so it is gone at once.");
    return to === "disk_pending"
      ? gettext("The oldest message of the head lane. Its content was not in RAM: it was read for this delivery, and is not kept.")
      : gettext("The oldest message of the head lane. Its content stays in RAM until it is acknowledged: nothing pages it out.");
  },
  Acked: () => gettext("An index entry that still waits in RAM is erased, one in the file becomes a slot of zeros; the content is no longer needed."),
  Requeued: ({ extents }) =>
    fill(gettext("All messages that come back join the head lane, in the order of their numbers, even if it then holds more than one load may bring (L). Nothing is read or written for this; with content in RAM: %(in_ram)s."), {
      in_ram: number(extents.reduce((sum, row) => sum + (row[E.flags] & IN_RAM ? row[E.count] : 0), 0)),
    }),
  QueueStarted: () => gettext("What the files hold becomes the tail, then one message is loaded, whatever the backlog."),
};
