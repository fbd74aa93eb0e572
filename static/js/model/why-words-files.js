/** A sentence, a glyph and a tone for the kinds that concern files; `reason` is the general cause. */
import { bytes, gettext, ngettext, number } from "./text.js";
import { said } from "./why-said.js";

const stored =
  (glyph, tone, text, reason = "") =>
  (row) =>
    said(glyph, tone, text, reason, { store: row[2], file: row[3], bytes: bytes(row[4]) });

/** kind -> (row, messages) -> {glyph, tone, text, reason, values}. */
export const FILE_WORDS = {
  JournalSynced: (row) =>
    said("\u27f3", "plain", gettext("Journal synced: %(bytes)s"), gettext("Confirms wait for this fsync."), {
      bytes: bytes(row[3]),
    }),
  JournalFlushed: () =>
    said(
      "\u21e3",
      "plain",
      gettext("Journal emptied into segment files"),
      gettext("Each segment gets its entries, segments without live messages are deleted."),
    ),
  SegmentWritten: (row) =>
    said(
      "\u25a4",
      "plain",
      gettext("%(file)s.idx grows by %(bytes)s"),
      gettext("Pending entries of this segment were appended and synced."),
      { bytes: bytes(row[4]) },
    ),
  SegmentDeleted: (row) =>
    said(
      "\u2715",
      "plain",
      gettext("%(file)s.idx deleted"),
      gettext("Every message of the segment is acknowledged."),
    ),
  SegmentRead: (row) =>
    said(
      "\u25a4",
      "delta",
      gettext("%(file)s.idx read"),
      gettext("Delta knows only its bounds: the entries come from the segment file."),
    ),
  IndexReset: () => said("\u2715", "plain", gettext("The index directory was erased")),
  WriteIgnored: stored("\u00b7", "plain", gettext("A write was cancelled before it happened")),
  BufferWritten: stored(
    "\u21e3",
    "plain",
    gettext("%(bytes)s written to %(file)s.rdq"),
    gettext("The write buffer was full or a sync was due."),
  ),
  StoreSynced: stored("\u27f3", "plain", gettext("%(file)s.rdq synced")),
  FileRolledOver: (row) =>
    said(
      "\u25a5",
      "plain",
      gettext("%(file)s.rdq is full, %(opened)s.rdq opened"),
      gettext("The current file reached the size limit."),
      { opened: row[4] },
    ),
  OperationDeferred: stored("\u2026", "plain", gettext("An operation waits for %(file)s.rdq")),
  CombineStarted: (row) =>
    said(
      "\u21c4",
      "plain",
      gettext("Collecting: %(file)s.rdq into %(destination)s.rdq"),
      gettext("More than half of the store is garbage, and both fit into one file."),
      { destination: row[4] },
    ),
  FilesCombined: (row) =>
    said("\u21c4", "plain", gettext("%(file)s.rdq is gone, %(bytes)s won back"), "", {
      bytes: bytes(row[6]),
    }),
  FileDeleted: (row) =>
    said("\u2715", "plain", gettext("%(file)s.rdq deleted"), gettext("No live message was left in it.")),
  StoreRead: (row) =>
    said(
      "\u25a5",
      "plain",
      ngettext(
        "%(count)s content read from %(file)s.rdq",
        "%(count)s contents read from %(file)s.rdq",
        row[6],
      ),
      gettext("A beta or gamma is delivered: its content comes back from disk."),
      { file: row[4], count: number(row[6]) },
    ),
  FileUnlinked: (row) =>
    said("\u2715", "plain", gettext("%(file)s.rdq left the disk"), gettext("Nobody has it open any more.")),
};
