/** The report on a broker's files: queues, store files, what a clean stop left, damage, and bytes on demand. */
import { codedWords, collectorWords, pinWords, startWords, stopWords } from "../../model/inspect-words.js";
import { bytes, fill, gettext, ngettext, number } from "../../model/text.js";
import { answerRows, verdictOf, worstFirst } from "../../model/verdict-words.js";
import { el } from "../base/dom.js";
import { fileRow } from "./bytes.js";
import { table } from "./tables.js";
import { releaseWords } from "../../model/upgrade-words.js";
import { upgradesOf } from "./upgrades.js";
import { answerTable, folded, verdict } from "./verdict.js";

/**
 * @import { CleanStop, DamageRow, FilesAnswer, QueueRow, StoreRow } from "../../model/inspect-words.js"
 * @import { Reader } from "../../net/inspector.js"
 */

const MOST_SEGMENTS = 12;

/** @param {number | null} value */
const counted = (value) => (value === null || value === undefined ? "?" : number(value));
/** @param {string[]} texts */
const lines = (texts) => texts.map((text) => el("small.line", {}, text));

/**
 * What a segment's chip says: live slots of version 2, records of version 1.
 * @param {QueueRow["segments"][number]} segment
 */
const chipOf = ({ file, publishes, del_or_ack: marks, live }) =>
  live === undefined || live === null ? `${file} ${publishes}+${marks}` : `${file} ${live}`;

/** @param {QueueRow[]} rows */
const isVersion2 = (rows) => rows.some((queue) => queue.version === 2);

/** @param {QueueRow[]} rows */
const chipWords = (rows) =>
  isVersion2(rows)
    ? gettext("Chips: live slots of a .qi file; its bodies of small messages are in the .qs file of the same number.")
    : gettext("Chips: publish records + deliver and ack records of a segment.");

/**
 * How the release was recognised.
 * @param {FilesAnswer} answer
 */
const writtenBy = ({ queues: rows }) =>
  isVersion2(rows)
    ? gettext("RabbitMQ %(release)s wrote these files: queues of version 2, and messages as 4.x stores them. The start here follows that release.")
    : gettext("There is no .config: a broker older than 3.8.15 wrote these files. A segment has 16,384 entries, and the start here follows RabbitMQ %(release)s (V6).");

/** @param {QueueRow} queue */
const journalWords = ({ journal }) =>
  journal ? `${bytes(journal.size)}, ${fill(gettext("records: %(count)s"), { count: number(journal.records) })}` : "-";

/** @param {QueueRow[]} given */
function queues(given) {
  const rows = worstFirst(given);
  // Version 2 has no journal: a column of dashes would say that it is missing.
  const withJournal = !isVersion2(rows);
  return table(
    gettext("Queues: what the index says, and what a start brings back"),
    [[gettext("Queue")], [gettext("Live records"), true], [gettext("Back after a start"), true], [gettext("Why, and what could be lost")], ...(withJournal ? [/** @type {[string]} */ ([gettext("Journal")])] : []), [gettext("Segments")]],
    rows.map((queue) => [
      queue.name,
      counted(queue.live),
      counted(queue.back),
      lines(startWords(queue)),
      ...(withJournal ? [journalWords(queue)] : []),
      [
        ...queue.segments.slice(0, MOST_SEGMENTS).map((segment) => el("span.chip.mono", {}, chipOf(segment))),
        queue.segments.length > MOST_SEGMENTS ? "…" : "",
      ],
    ]),
  );
}

/**
 * How much of what a start leaves of a file is garbage, as the store's map of that moment says; the words beside it repeat it without the picture.
 * @param {StoreRow} file
 */
function shareOf(file) {
  if (file.after === 0) return gettext("deleted by the start");
  if (file.share === null) return "?";
  return [el("meter", { min: 0, max: 100, value: file.share, "aria-hidden": "true" }), ` ${file.share} %`];
}

/** @param {StoreRow[]} rows */
function stores(rows) {
  return table(
    gettext("Message stores: what lives in each file, and how much of it is garbage"),
    [[gettext("File")], [gettext("Size as given"), true], [gettext("Records"), true], [gettext("Live after a start"), true], [gettext("Garbage after a start"), true], [gettext("What pins it")]],
    rows.map((file) => [`${file.store}/${file.file}`, bytes(file.size), counted(file.entries), counted(file.live), shareOf(file), lines(pinWords(file))]),
  );
}

/**
 * @param {DamageRow[]} found
 * @param {number} more of them that are not listed
 * @param {Record<string, string>} sentences
 * @param {Record<string, string>} kinds
 */
function damage(found, more, sentences, kinds) {
  if (!found.length) return null;
  return folded(fill(gettext("Damage: %(count)s"), { count: number(found.length + more) }), el("ul.damage", {}, ...found.map((each) =>
    el("li", {},
      el("code", {}, each.offset === null ? each.file : `${each.file} @ ${each.offset}`), " ", el("b", {}, kinds[each.kind]), `: ${codedWords(each, sentences)}`,
      each.hex ? el("details", {}, el("summary", {}, gettext("Bytes")), el("pre.mono.hex-dump", { tabindex: 0 }, each.hex)) : null))),
    more ? el("p", {}, fill(gettext("and %(n)s more"), { n: number(more) })) : null);
}

/** @param {CleanStop | null} clean */
function stop(clean) {
  /**
   * @param {string} text
   * @param {string[]} paths
   */
  const list = (text, paths) => (paths.length ? el("li", {}, `${text} `, ...paths.map((path) => el("code", {}, `${path} `))) : null);
  return el("div", { "data-stop": clean?.clean ? "clean" : "dirty" }, el("p", {}, stopWords(clean)),
    clean ? el("ul.damage", {}, list(gettext("Read, and checked against the files:"), clean.compared)) : null);
}

/**
 * The files that were given and not read, by name.
 * @param {FilesAnswer} answer
 */
function notRead({ left_out: names, left_out_count: count }) {
  if (!count) return null;
  const more = count > names.length ? fill(gettext("and %(n)s more"), { n: number(count - names.length) }) : "";
  return el("details.folded", { "data-left-out": count }, el("summary", {}, fill(gettext("Files that were not read, because no queue or store has such names: %(count)s"), { count: number(count) })),
    el("ul.damage", {}, ...names.map((name) => el("li", {}, el("code", {}, name)))), el("p", {}, more));
}

/**
 * What the report is about: the files, or what was rehearsed with them.
 * @param {FilesAnswer} answer
 */
function headingOf({ target: release, stopped, source }) {
  if (release && stopped) return fill(gettext("Rehearsed: RabbitMQ %(release)s on what an orderly stop leaves of these files"), { release });
  if (release) return fill(gettext("Rehearsed: RabbitMQ %(release)s on a copy of these files"), { release });
  return stopped ? fill(gettext("Rehearsed: an orderly stop on a copy of these files. %(release)s"), { release: releaseWords(source) }) : gettext("What is in these files");
}

/**
 * The whole report; `reader` sends bytes where it can, `sentences` are the engine's by code, `kinds` names those of damage.
 * @param {FilesAnswer} answer
 * @param {Reader} reader
 * @param {{ sentences: Record<string, string>, kinds: Record<string, string> }} words
 * @param {(Node | null)[]} actions
 * @param {(target: string, stopped?: boolean) => void} step opens the start of another release on the same files, or after an orderly stop
 */
export function report(answer, reader, { sentences, kinds }, actions, step) {
  const failed = answer.failure ? el("p.error", { role: "alert" }, fill(gettext("A start would fail: %(failure)s"), { failure: codedWords(answer.failure, sentences) })) : null;
  const unplayed = answer.unplayed
    ? el("p.error", { role: "alert" }, fill(gettext("A start on these files was not played to its end: %(why)s. What the files hold is listed below."), { why: codedWords(answer.unplayed, sentences) }))
    : null;
  const left = answer.not_shown
    ? el("p.mid", {}, fill(ngettext("%(n)s more queue was given; only those with the most messages are shown in the session.", "%(n)s more queues were given; only those with the most messages are shown in the session.", answer.not_shown), { n: number(answer.not_shown) }))
    : null;
  return el("section.card.pad.inspect-report", { "aria-labelledby": "report-heading" },
    el("h2", { id: "report-heading", tabindex: -1 }, headingOf(answer)),
    answerTable(answerRows(answer)),
    verdict(verdictOf(answer)),
    el("div.heading", {}, answer.started ? el("a.btn.small", { href: "#inspect-live" }, gettext("The start, played")) : null, ...actions),
    failed,
    unplayed,
    left,
    damage(answer.damage, answer.damage_more, sentences, kinds),
    folded(fill(gettext("Queues: %(count)s"), { count: number(answer.queues.length) }),
      answer.release ? el("p.mid", { "data-release": answer.release }, fill(writtenBy(answer), { release: answer.release })) : null,
      answer.queues.length ? queues(answer.queues) : null,
      answer.queues.length ? el("p.help", {}, chipWords(answer.queues)) : null),
    folded(gettext("Message stores, and how the node ended"),
      answer.stores.length ? stores(answer.stores) : null,
      ...collectorWords(answer.collector).map((text) => el("p", { "data-collector": "" }, text)),
      ...answer.unowned.map(({ store, count, bytes: size }) =>
        el("p", { "data-unowned": store }, fill(ngettext("%(store)s: %(count)s body belongs to no message of any index here, and holds %(bytes)s of disk. Such bodies are garbage that waits to be collected, or belong to an index that is gone.", "%(store)s: %(count)s bodies belong to no message of any index here, and hold %(bytes)s of disk. Such bodies are garbage that waits to be collected, or belong to an index that is gone.", count), { store, count: number(count), bytes: bytes(size) }))),
      stop(answer.stop)),
    folded(gettext("What would an upgrade do to these queues?"), upgradesOf(answer.orderly, answer.upgrades, { source: answer.source, sentences, step })),
    notRead(answer),
    folded(fill(gettext("Files, record by record: %(count)s"), { count: number(answer.files.length) }),
      el("ul.damage", {}, ...answer.files.map((file) => fileRow(file, reader))),
      answer.files_more ? el("p", {}, fill(gettext("and %(n)s more"), { n: number(answer.files_more) })) : null));
}
