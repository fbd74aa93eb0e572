/** A sentence, a glyph and a tone for the kinds that concern files; `reason` is the general cause. */
import { bytes, gettext, ngettext, number } from "../../../model/text.js";
import { sentence } from "../../../model/why-sentence.js";

/** @import { Words } from "../../../model/why-sentence.js" */

/** kind -> (t, messages) -> {glyph, tone, text, reason, values}. */
/** @type {Words} */
export const FILE_WORDS = {
  JournalSynced: (t) =>
    sentence("\u27f3", "plain", gettext("Journal synced: %(bytes)s"), gettext("Confirms wait for this fsync."), {
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
  StoreRead: (_, n) =>
    sentence(
      "\u25a5",
      "plain",
      ngettext(
        "%(count)s content read from %(file)s.rdq",
        "%(count)s contents read from %(file)s.rdq",
        n,
      ),
      gettext("A beta or gamma is delivered: its content comes back from disk."),
      { count: number(n) },
    ),
  FileUnlinked: () =>
    sentence("\u2715", "plain", gettext("%(file)s.rdq left the disk"), gettext("Nobody has it open any more.")),
};
