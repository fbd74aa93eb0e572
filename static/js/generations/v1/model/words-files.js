/** A sentence, a glyph and a tone for the kinds that concern files; `reason` is the general cause. */
import { bytes, gettext, ngettext, number } from "../../../model/text.js";
import { sentence } from "../../../model/why-sentence.js";

/** @import { Words } from "../../../model/why-sentence.js" */

/** @param {number} n */
const contentsRead = (n) =>
  sentence(
    "\u25a5",
    "plain",
    ngettext("%(count)s content read from %(file)s.rdq", "%(count)s contents read from %(file)s.rdq", n),
    gettext("Its content is in this file alone, so it is read from there."),
    { count: number(n) },
  );

/** @param {number} n */
const entriesRecorded = (n) =>
  sentence("\u00b7", "plain", ngettext("%(count)s entry recorded in the index", "%(count)s entries recorded in the index", n), "", {
    count: number(n),
  });

/** @param {number} n */
const contentsAppended = (n) =>
  sentence("\u00b7", "plain", ngettext("%(count)s content appended to %(file)s.rdq", "%(count)s contents appended to %(file)s.rdq", n), "", {
    count: number(n),
  });

/** @param {number} queues */
const neededBy = (queues) =>
  sentence("\u00b7", "plain", ngettext("A content is needed by %(queues)s queue", "A content is needed by %(queues)s queues", queues), "", {
    queues: number(queues),
  });

/** kind -> (t, messages) -> {glyph, tone, text, reason, values}. */
/** @type {Words} */
export const FILE_WORDS = {
  JournalSynced: (t) =>
    sentence("\u27f3", "plain", gettext("Journal synced: %(bytes)s"), gettext("What the journal holds is on disk for good. Confirms that waited for it may leave."), {
      bytes: bytes(t.bytes),
    }),
  JournalFlushed: () =>
    sentence(
      "\u21e3",
      "plain",
      gettext("Journal emptied into segment files"),
      gettext("Each segment gets its entries, segments without live messages are deleted."),
    ),
  SegmentWritten: (t) =>
    sentence(
      "\u25a4",
      "plain",
      gettext("%(file)s.idx grows by %(bytes)s"),
      gettext("Pending entries of this segment were appended and synced."),
      { file: t.segment, bytes: bytes(t.bytes) },
    ),
  SegmentDeleted: (t) =>
    sentence(
      "\u2715",
      "plain",
      gettext("%(file)s.idx deleted"),
      gettext("Every message of the segment is acknowledged."),
      { file: t.segment },
    ),
  SegmentRead: (t) =>
    sentence(
      "\u25a4",
      "delta",
      gettext("%(file)s.idx read"),
      gettext("Delta knows only its bounds: the entries come from the segment file."),
      { file: t.segment },
    ),
  IndexForgotten: () =>
    sentence(
      "\u21b6",
      "alarm",
      gettext("fetchwhile forgot what it had changed in the index"),
      gettext("A 3.8 goes on with the index as it was before it collected expired messages; the files keep what was written."),
    ),
  IndexReset: () => sentence("\u2715", "plain", gettext("The index directory was erased")),
  WriteIgnored: () => sentence("\u00b7", "plain", gettext("A write was cancelled before it happened")),
  BufferWritten: (t) =>
    sentence(
      "\u21e3",
      "plain",
      gettext("%(bytes)s written to %(file)s.rdq"),
      gettext("The write buffer was full or a sync was due."),
      { bytes: bytes(t.bytes) },
    ),
  StoreSynced: () => sentence("\u27f3", "plain", gettext("%(file)s.rdq synced")),
  FileRolledOver: (t) =>
    sentence(
      "\u25a5",
      "plain",
      gettext("%(file)s.rdq is full, %(opened)s.rdq opened"),
      gettext("The current file reached the size limit."),
      { file: t.closed },
    ),
  OperationDeferred: () => sentence("\u2026", "plain", gettext("An operation waits for %(file)s.rdq")),
  CombineStarted: (t) =>
    sentence(
      "\u21c4",
      "plain",
      gettext("Collecting: %(file)s.rdq into %(destination)s.rdq"),
      gettext("More than half of the store is garbage, and both fit into one file."),
      { file: t.source },
    ),
  FilesCombined: (t) =>
    sentence("\u21c4", "plain", gettext("%(file)s.rdq is gone, %(bytes)s won back"), "", {
      file: t.source,
      bytes: bytes(t.reclaimed_bytes),
    }),
  FileDeleted: () =>
    sentence("\u2715", "plain", gettext("%(file)s.rdq deleted"), gettext("No live message was left in it.")),
  StoreRead: (_, n) => contentsRead(n),
  StretchesRead: (_, n) => contentsRead(n),
  FileUnlinked: () =>
    sentence("\u2715", "plain", gettext("%(file)s.rdq left the disk"), gettext("Nobody has it open any more.")),
};

/**
 * Steps inside of what the queue or the store does: the log shows them with its details, and runs may part at one.
 * @type {Words}
 */
export const STEP_WORDS = {
  CountersChanged: () => sentence("\u00b7", "plain", gettext("The queue's counters changed")),
  DeltaChanged: () => sentence("\u00b7", "delta", gettext("The record of delta changed")),
  EntriesRecorded: (_, n) => entriesRecorded(n),
  StretchesRecorded: (_, n) => entriesRecorded(n),
  JournalOpened: () => sentence("\u00b7", "plain", gettext("The journal was opened")),
  StoreWritten: (_, n) => contentsAppended(n),
  StretchesWritten: (_, n) => contentsAppended(n),
  RefCountChanged: (t) => neededBy(t.ref_count),
  StretchesRecounted: (t) => neededBy(t.ref_count),
  CacheChanged: (t) =>
    sentence("\u00b7", "plain", ngettext("%(entries)s content in the store's cache", "%(entries)s contents in the store's cache", t.entries), "", {
      entries: number(t.entries),
    }),
  FileLocked: (t) => sentence("\u00b7", "plain", t.locked ? gettext("%(file)s.rdq is locked") : gettext("%(file)s.rdq is free again")),
  CombineStepped: (t) => sentence("\u21c4", "plain", gettext("Collecting goes on in %(file)s.rdq"), "", { file: t.source }),
  RowsForgotten: () => sentence("\u00b7", "plain", gettext("The store forgets where contents lay")),
  RowsMoved: () => sentence("\u00b7", "plain", gettext("The store notes where contents lie now")),
};
