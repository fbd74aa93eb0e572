/** The first sentence of the answer about a broker's files, and the few that belong to it: what comes back, what is lost, what is broken. */
import { expiredWords } from "./inspect-words.js";
import { fill, gettext, ngettext, number } from "./text.js";
import { releaseWords, targetName } from "./upgrade-words.js";

/** @import { CleanStop, DamageRow, FilesAnswer, QueueRow } from "./inspect-words.js" */

/** @typedef {{ tone: "good" | "dropped" | "none" | "upgrade" | "bad" | "fails" | "open", first: string, rest: string[] }} Verdict */

/**
 * How many live persistent messages a start does not bring back.
 * @param {QueueRow} queue
 */
const lostOf = ({ live, back, expired, ends }) => (ends === "dead" ? live : back === null ? 0 : Math.max(0, live - back - (expired ?? 0)));

/**
 * @param {QueueRow[]} queues
 * @param {(queue: QueueRow) => number | null | undefined} of
 */
const sum = (queues, of) => queues.reduce((whole, queue) => whole + (of(queue) ?? 0), 0);

/**
 * What a start makes of the messages: the sentence that somebody who was woken for it wants first.
 * @param {FilesAnswer} answer
 * @returns {[tone: Verdict["tone"], words: string]}
 */
function outcome({ failure, unplayed, queues, stores, target, stopped }) {
  if (failure) return ["fails", gettext("A start on these files fails.")];
  if (unplayed) return ["open", gettext("A start on these files was not played to its end, so what comes back is not known; the files were read.")];
  if (!queues.length && stores.every(({ size }) => !size)) return ["open", gettext("These files hold nothing of any queue: its messages were only in memory, and no start brings them back.")];
  if (!queues.length) return ["open", gettext("These files hold message contents only: without the index of a queue nobody can say which of them are still wanted.")];
  const live = sum(queues, (queue) => queue.live);
  if (stopped && !target) return ["good", fill(ngettext("The release that wrote the files started on a copy of them and stopped in order, with %(live)s persistent message.", "The release that wrote the files started on a copy of them and stopped in order, with %(live)s persistent messages.", live), { live: number(live) })];
  const back = sum(queues, (queue) => queue.back);
  const lost = sum(queues, lostOf);
  const values = { live: number(live), back: number(back), lost: number(lost), queues: number(queues.length), release: target };
  const tone = lost || sum(queues, (queue) => queue.unreadable) ? "bad" : "good";
  if (target) return [tone, fill(ngettext("RabbitMQ %(release)s, started on a copy of these files, finds %(back)s of %(live)s persistent message.", "RabbitMQ %(release)s, started on a copy of these files, finds %(back)s of %(live)s persistent messages.", live), values)];
  if (!live) return ["none", fill(gettext("No message in these files comes back after a start: none is both persistent and unacknowledged. Queues: %(queues)s."), values)];
  if (lost) return ["bad", fill(ngettext("A start brings back %(back)s of %(live)s persistent message; %(lost)s is lost. Queues: %(queues)s.", "A start brings back %(back)s of %(live)s persistent messages; %(lost)s are lost. Queues: %(queues)s.", live), values)];
  if (back < live) return ["open", fill(ngettext("A start brings back %(back)s of %(live)s persistent message; the others have expired. Queues: %(queues)s.", "A start brings back %(back)s of %(live)s persistent messages; the others have expired. Queues: %(queues)s.", live), values)];
  return [tone, fill(ngettext("A start brings back the only persistent message. Queues: %(queues)s.", "A start brings back all %(live)s persistent messages. Queues: %(queues)s.", live), values)];
}

/**
 * How the node ended, in a few words.
 * @param {CleanStop | null} stop
 */
function ending(stop) {
  if (!stop) return gettext("The node was killed, or still ran when the files were copied.");
  return stop.clean ? gettext("The node was stopped in order.") : gettext("Some files that an orderly stop leaves are missing, so a start treats it as a crash.");
}

/**
 * Who wrote the files, where they show it.
 * @param {FilesAnswer} answer
 */
const author = ({ source }) => (source ? fill(gettext("Written by %(release)s."), { release: releaseWords(source) }) : "");

/**
 * How much of it is damaged, and where the first damage is.
 * @param {DamageRow[]} damage
 * @param {number} more
 */
function broken([first, ...others], more) {
  if (!first) return gettext("No damage was found.");
  const values = { count: number(1 + others.length + more), place: first.offset === null ? first.file : `${first.file} @ ${first.offset}` };
  return fill(gettext("Damage: %(count)s, the first in %(place)s."), values);
}

/**
 * @param {FilesAnswer} answer
 * @returns {Verdict}
 */
export function verdictOf(answer) {
  const [tone, first] = outcome(answer);
  const unread = sum(answer.queues, (queue) => queue.unreadable);
  const transient = sum(answer.queues, (queue) => queue.transient);
  const expired = sum(answer.queues, (queue) => queue.expired);
  const rest = [
    tone === "bad" && expired ? expiredWords(expired) : "",
    unread ? fill(ngettext("A start lists %(n)s message that its queue does not give: a read of what is broken ends the queue or its virtual host.", "A start lists %(n)s messages that their queues do not give: a read of what is broken ends the queue or its virtual host.", unread), { n: number(unread) }) : "",
    transient ? fill(ngettext("%(n)s transient message is dropped by every start.", "%(n)s transient messages are dropped by every start.", transient), { n: number(transient) }) : "",
    `${author(answer)} ${ending(answer.stop)}`.trim(),
    broken(answer.damage, answer.damage_more),
  ];
  const losing = upgradesThatLose(answer);
  if (losing.length) rest.unshift(fill(gettext("An upgrade loses messages: %(what)s."), { what: losing.join(gettext(", ")) }));
  return { tone: tone === "good" ? shaded(answer, transient, losing.length > 0) : tone, first, rest: rest.filter(Boolean) };
}

/**
 * The tone where all persistent messages come back: what is damaged, lost by an upgrade or dropped as transient is not all there.
 * @param {FilesAnswer} answer
 * @param {number} transient
 * @param {boolean} losing
 * @returns {Verdict["tone"]}
 */
function shaded({ damage }, transient, losing) {
  if (damage.length) return "open";
  return losing ? "upgrade" : transient ? "dropped" : "good";
}

/**
 * For each rehearsed release that finds fewer messages, both after a crash and after an orderly stop: "RabbitMQ 4.3.6 finds 0 of 21".
 * @param {FilesAnswer} answer
 */
function upgradesThatLose({ upgrades = [] }) {
  return upgrades.flatMap(({ target, queues }) => {
    const counted = queues.filter(({ before, after }) => before !== null && after !== null);
    /** @param {number | null | undefined} one @param {number | null | undefined} other */
    const most = (one, other) => Math.max(one ?? 0, other ?? 0);
    const [before, after] = [counted.reduce((all, each) => all + (each.before ?? 0), 0), counted.reduce((all, each) => all + most(each.after, each.orderly?.after), 0)];
    return after < before ? [fill(gettext("RabbitMQ %(release)s finds %(after)s of %(before)s"), { release: target, after: number(after), before: number(before) })] : [];
  });
}

/**
 * @typedef {{ target: string, starts: string, back: string, first: string, tone: "good" | "bad" }} AnswerRow
 * What one start does: whether it is one at all, how many messages come back of how many, and what to do before it.
 */

/**
 * The answer in a table: a row for the release that wrote the files, and one for each release that they could go to.
 * @param {FilesAnswer} answer
 * @returns {AnswerRow[]}
 */
export function answerRows(answer) {
  const { failure, unplayed, queues, target, stopped, source, upgrades = [] } = answer;
  if (!queues.length || target || stopped) return [];
  const live = sum(queues, (queue) => queue.live);
  const of = (/** @type {number} */ back) => fill(gettext("%(back)s of %(live)s"), { back: number(back), live: number(live) });
  const copy = gettext("Copy the directory before any start.");
  const back = sum(queues, (queue) => queue.back);
  const dead = queues.filter((queue) => queue.ends === "dead").length;
  const loses = sum(queues, lostOf) + sum(queues, (queue) => queue.unreadable) > 0;
  /** @type {AnswerRow} */
  const same = {
    target: releaseWords(source),
    starts: failure ? gettext("no") : unplayed ? "?" : dead ? fill(ngettext("yes, without %(n)s queue", "yes, without %(n)s queues", dead), { n: number(dead) }) : gettext("yes"),
    back: failure ? of(0) : unplayed ? "?" : of(back),
    first: failure || loses ? copy : gettext("nothing"),
    tone: failure || loses || (live > 0 && !back && !unplayed) ? "bad" : "good",
  };
  return [same, ...upgrades.filter((each) => !each.is_back && each.policy === null && !each.target.includes("-v")).map((each) => upgradeRow(each, of, live))];
}

/**
 * @param {import("./upgrade-words.js").Upgrade} upgrade
 * @param {(back: number) => string} of
 * @param {number} live
 * @returns {AnswerRow}
 */
function upgradeRow({ target, gate, failure, unplayed, queues, orderly }, of, live) {
  const name = targetName(target);
  if (!gate.accepted) {
    const way = gate.way.length > 1 ? fill(gettext("Go by %(way)s; enable all feature flags at each."), { way: gate.way.join(" → ") }) : fill(gettext("Enable %(flags)s."), { flags: gate.missing.join(", ") });
    return { target: name, starts: gettext("no, it refuses"), back: "–", first: way, tone: "bad" };
  }
  if (failure) return { target: name, starts: gettext("no"), back: of(0), first: gettext("Copy the directory before any start."), tone: "bad" };
  if (unplayed || queues.some(({ after }) => after === null)) return { target: name, starts: gettext("yes"), back: "?", first: gettext("Copy the directory before any start."), tone: "good" };
  const back = queues.reduce((whole, { after }) => whole + (after ?? 0), 0);
  const later = orderly ? queues.reduce((whole, each) => whole + (each.orderly?.after ?? 0), 0) : 0;
  const first = later > back ? gettext("Start the old release once and stop it in order.") : back ? gettext("nothing") : gettext("Do not start it on these files.");
  const most = Math.max(back, later);
  return { target: name, starts: gettext("yes"), back: of(most), first, tone: live > 0 && !most ? "bad" : "good" };
}

/**
 * The queues that lose something first, else in the order in which they came.
 * @param {QueueRow[]} queues
 */
export function worstFirst(queues) {
  return [...queues].sort((a, b) => lostOf(b) + (b.unreadable ?? 0) - lostOf(a) - (a.unreadable ?? 0));
}
