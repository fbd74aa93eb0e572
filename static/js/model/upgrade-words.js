/** What a rehearsed upgrade says in words: the node's gate, what an orderly stop changes, and what stops having an effect. */
import { codedWords } from "./inspect-words.js";
import { bytes, fill, gettext, ngettext, number } from "./text.js";

/**
 * @typedef {{ accepted: boolean, missing: string[], enable_first: string[], way: string[], listed: boolean }} Gate
 * @typedef {{ name: string, before: number | null, after: number | null, order: boolean | null, redelivered: number | null, orderly: Outcome | null }} UpgradedQueue after a crash, and after an orderly stop
 * @typedef {{ after: number | null, order: boolean | null, redelivered: number | null }} Outcome
 * @typedef {[kind: string, count: number, bytes: number, later: number, laterBytes: number]} FilesOfKind before and after the start
 * @typedef {{ read: number, written: number, synced: number, deleted: number }} StartWork bytes, calls, and files
 * @typedef {{ target: string, is_back: boolean, policy: number | null, gate: Gate, failure: import("./inspect-words.js").Coded | null, unplayed: import("./inspect-words.js").Coded | null, queues: UpgradedQueue[], files: FilesOfKind[], work: StartWork | null, orderly: { failure: import("./inspect-words.js").Coded | null, files: FilesOfKind[], work: StartWork | null, second: boolean } | null }} Upgrade `policy`: the version that a policy asks for while the node runs; `second`: the queue's first start fails
 * @typedef {{ found: boolean, files: FilesOfKind[], work: StartWork | null, saved: Record<string, boolean>, failure: import("./inspect-words.js").Coded | null }} OrderlyStop of the release that wrote the files; `saved`: whether a queue left its terms
 */

/**
 * The name of a target.
 * @param {string} target
 */
export function targetName(target) {
  if (target === "3.10.8-v2") return gettext("RabbitMQ 3.10.8, with queues of version 2");
  if (target === "3.10.8-v1") return gettext("RabbitMQ 3.10.8, with queues of version 1");
  if (target === "3.10.8-v2-policy") return gettext("RabbitMQ 3.10.8, a policy with queue-version 2");
  if (target === "3.10.8-v1-policy") return gettext("RabbitMQ 3.10.8, a policy with queue-version 1");
  return fill("RabbitMQ %(release)s", { release: target });
}

/**
 * The release that wrote files: its series, or the version of its queues where there are two.
 * @param {string} source
 */
export function releaseWords(source) {
  if (source === "3.10-v2") return gettext("RabbitMQ 3.10, with queues of version 2");
  return fill("RabbitMQ %(release)s", { release: source });
}

/**
 * Whether the node starts at all, and the way where it does not.
 * @param {Upgrade} upgrade
 */
export function gateWords({ target, is_back: isBack, policy, gate: { accepted, missing, enable_first: first, way, listed } }) {
  if (policy !== null)
    return [
      fill(gettext("No restart: the node starts on the files as they are, and while it runs a policy asks for queue-version %(version)s. Each queue then converts its files, segment by segment (W2, W100)."), { version: policy }),
      gettext("A queue with the argument x-queue-version keeps that version, whatever a policy says (W2)."),
    ];
  if (isBack)
    return [
      gettext("There is no way back: RabbitMQ supports no step to an older release. Keep a copy of the directory from before the upgrade; nothing was played here."),
      ...(target === "4.0.5" ? [gettext("Tried with real nodes: no feature flag stops 4.0.5 on a directory that 4.3.6 left. It found the metadata of 4.3.6, waited for it three minutes and more, and touched no file of a queue.")] : []),
    ];
  const words = [
    accepted
      ? gettext("The node starts: no feature flag that it requires is missing.")
      : fill(gettext("The node refuses to start, and touches no file of a queue. Not enabled: %(flags)s."), { flags: missing.join(", ") }),
  ];
  if (way.length > 1)
    words.push(fill(gettext("Upgrade path: %(way)s. Enable all feature flags at each step (rabbitmqctl enable_feature_flag all), before the next one."), { way: way.join(" → ") }));
  if (way.some((each) => READ_ONLY.includes(each)))
    words.push(fill(gettext("For these steps only the requirements were read, in the sources of %(releases)s; no such node was run."), { releases: way.filter((each) => READ_ONLY.includes(each)).join(", ") }));
  if (first.length) words.push(fill(gettext("To be enabled before the first step: %(flags)s."), { flags: first.join(", ") }));
  if (!listed)
    words.push(gettext("The node's own list of feature flags was not given (a file beside its directory whose name ends in -feature_flags), so every flag that its release knows counts as enabled."));
  return words;
}

/** Releases whose sources were read and that were not run. */
const READ_ONLY = ["3.11", "3.12", "3.13"];

/** @returns {Record<string, string[]>} */
function notes() {
  const today = [
    gettext("x-queue-mode and queue-mode: accepted, without effect. Every queue keeps nearly everything on disk (W39)."),
    gettext("ha-mode and the other ha- keys of policies: refused, and definitions with such a policy are not imported (checked on 4.0.5 and 4.3.6). Quorum queues take the place of classic mirrors (W75)."),
    gettext("vm_memory_high_watermark_paging_ratio: accepted, without effect. Nothing is paged (W70)."),
    gettext("x-queue-version and queue-version: files are of version 2 in any case. 4.3.6 refuses to declare a queue with x-queue-version 1; classic_queue.default_version = 1 in rabbitmq.conf keeps 4.0.5 and 4.3.6 from starting (W2)."),
    gettext("Defaults: the alarm is set at 0.6 of the memory instead of 0.4, and a message has at most 16 MiB instead of 128 MiB (W1, W72)."),
    gettext("A confirm does not wait for an fsync any more: it survives the death of the node, not of the machine (W65)."),
  ];
  const second = gettext("Checked on real nodes, once they were made to start: 4.0.5 and 4.3.6 brought back 21 of 21 messages of 3.10.8 in order; after an orderly stop only the 2 delivered before were redelivered, after a kill all 21.");
  return {
    "3.10.8": [
      gettext("Every message counts as redelivered, even after an orderly stop: 3.8 does not save the number below which all were delivered (Q33, V1). Segments keep their 16,384 entries, as there is no .config (V6)."),
      gettext("Checked on real nodes: 3.10.8 brought back 21 of 21 messages of 3.8.9, in order, after a kill and after an orderly stop."),
    ],
    "3.10.8-v1": [
      gettext("A queue whose argument and policy say nothing has version 1: its files of version 2 are converted back when it starts, or at once when a policy changes (W100, W209)."),
      gettext("Checked on real nodes: 3.10.8 brought back 21 of 21 messages in order; after an orderly stop only the 2 delivered before were redelivered, after a kill all 21."),
    ],
    "3.10.8-v2-policy": [
      gettext("Files of version 2 stay only while an argument or a policy asks for them: the next start without one converts them back (W209)."),
      gettext("Read in the source and played by the engine; on a real node only a conversion at the start was tried, not one while it runs."),
    ],
    "3.10.8-v1-policy": [
      gettext("Read in the source and played by the engine; on a real node only a conversion at the start was tried, not one while it runs."),
    ],
    "4.0>4.3.6": [
      gettext("The files stay as they are: both releases have version 2, with the same .qi, .qs and message store (W82, W110)."),
      gettext("Checked on real nodes: after an orderly stop of 4.0.5, 4.3.6 brought back 21 messages, only those delivered before as redelivered; after a kill 23, all redelivered (W41, W203)."),
      gettext("4.3 has no code for files of version 1: every queue must have been converted by 4.0 to 4.2 before (W195)."),
    ],
    "3.10-v2>4.3.6": [gettext("Queues that already have version 2 keep their files."), second, ...today],
    "3.10-v2>4.0.5": [gettext("Queues that already have version 2 keep their files."), second, ...today],
    "3.10.8-v2": [
      gettext("Files of version 2 stay only while an argument or a policy asks for them: the next start without one converts them back (W209)."),
      gettext(".qi and .qs files are never fsynced for a confirm; the message store still is (W65)."),
      gettext("Checked on real nodes: after an orderly stop 3.10.8 brought back 21 of 21 messages in order, only the 2 delivered before as redelivered. After a kill all come back if a segment (.idx) exists, and none if all were still in the journal: after a crash no release reads a journal alone (W100)."),
    ],
    "4.0.5": [
      gettext("Each segment is converted when its queue starts: small bodies move to .qs as they are, large ones stay in the message store; each .idx file is deleted after its messages, the journal last (W100)."),
      gettext("Checked on real nodes: started on such files, 4.0.5 wrote the same bytes, message by message."),
      gettext("Checked on real nodes, once they were made to start: after an orderly stop of 3.10.8, 4.0.5 brought back 21 of 21 messages, only the 2 delivered before as redelivered. After a kill it brought back 21 of 21 if a segment (.idx) existed, and none if all were still in the journal: after a crash no release reads a journal alone (W100). So stop in order before the upgrade."),
      ...today,
    ],
    "4.3.6": [
      gettext("4.3 has no code for files of version 1. After a crash it leaves them where they are and finds no message; after an orderly stop the queue's first start fails, the node starts it again, and then it finds none either (W100). Go through 4.0 to 4.2, which convert them."),
      gettext("Checked on real nodes, once they were made to start: 4.3.6 brought back none of 21 messages of 3.10.8, after an orderly stop or a kill, and left the files of the queue."),
      ...today,
    ],
  };
}

/**
 * What is to be known of a target besides.
 * @param {string} source the release that wrote the files
 * @param {Upgrade} upgrade
 */
export function targetNotes(source, { target, is_back: isBack }) {
  const all = notes();
  return isBack ? [] : (all[`${source}>${target}`] ?? all[target] ?? []);
}

/**
 * What the start itself costs, as the engine plays it; or the conversion that a policy asks for.
 * @param {StartWork | null} work
 * @param {boolean} byPolicy
 */
export function workWords(work, byPolicy = false) {
  if (!work) return [];
  const values = { read: bytes(work.read), written: bytes(work.written), synced: number(work.synced), deleted: number(work.deleted) };
  return [
    fill(
      byPolicy
        ? gettext("The conversion: %(read)s read, %(written)s written; fsyncs: %(synced)s, files deleted: %(deleted)s.")
        : gettext("The start: %(read)s read, %(written)s written; fsyncs: %(synced)s, files deleted: %(deleted)s."),
      values,
    ),
  ];
}

/**
 * What an orderly stop before the upgrade does to the files.
 * @param {OrderlyStop} stop
 * @param {Record<string, string>} sentences the engine's by code
 */
export function orderlyWords({ found, files, work, saved, failure }, sentences) {
  if (failure) return [fill(gettext("The stop would fail: %(failure)s"), { failure: codedWords(failure, sentences) })];
  const words = [
    found
      ? gettext("The node had stopped in order: its files are as the stop left them, with what it saved beside them (recovery.dets, clean.dot and two tables of the store).")
      : gettext("The release that wrote the files starts on them, as after a crash, and stops in order: write buffers are written, the store writes its tables, and each queue leaves its terms."),
  ];
  if (work)
    words.push(fill(gettext("The stop: %(written)s written, what it saves beside the files among them; fsyncs: %(synced)s, files deleted: %(deleted)s."), { written: bytes(work.written), synced: number(work.synced), deleted: number(work.deleted) }));
  words.push(...files.map(filesWords));
  const lost = Object.keys(saved).filter((name) => !saved[name]);
  if (lost.length)
    words.push(fill(gettext("The terms of these queues were lost: %(queues)s. So the next start is one after a crash, for every queue of the virtual host (W200, W201)."), { queues: lost.join(", ") }));
  else if (!found)
    words.push(gettext("This stop followed a crash, after which every message counts as delivered, and the terms say so. A running node counts only messages that it delivered. To see that, read the directory of a node after an orderly stop."));
  return words;
}

/**
 * What comes back in a few figures, as numbers or question marks.
 * @param {Outcome | null} outcome
 */
export function outcomeWords(outcome) {
  const { after = null, order = null, redelivered = null } = outcome ?? {};
  return [after === null ? "?" : number(after), orderWords(order), redelivered === null ? "?" : number(redelivered)];
}

/**
 * Messages of all queues before and afterwards in one line, once after a crash and once after an orderly stop: what is read of a
 * target that is folded. Nothing where nothing was played.
 * @param {Upgrade} upgrade
 */
export function totalsWords({ is_back: isBack, policy, failure, unplayed, queues, orderly }) {
  if (isBack) return [];
  if (unplayed) return [gettext("not rehearsed")];
  const fails = gettext("the start fails");
  const totals = (/** @type {string} */ text, /** @type {string} */ after) => fill(text, { before: summed(queues.map(({ before }) => before)), after });
  const first = policy === null ? gettext("Messages after a crash: %(before)s → %(after)s") : gettext("Messages under the policy: %(before)s → %(after)s");
  const words = [totals(first, failure ? fails : summed(queues.map(({ after }) => after)))];
  const stopped = queues.map((each) => each.orderly?.after ?? null);
  if (orderly?.failure || stopped.some((after) => after !== null))
    words.push(totals(gettext("after an orderly stop: %(before)s → %(after)s"), orderly?.failure ? fails : summed(stopped)));
  return words;
}

/**
 * The sum as text; a question mark where one of the numbers is not known.
 * @param {(number | null)[]} values
 */
function summed(values) {
  return values.includes(null) ? "?" : number(values.reduce((/** @type {number} */ sum, each) => sum + (each ?? 0), 0));
}

/**
 * What became of the files of one kind.
 * @param {FilesOfKind} row
 */
export function filesWords([kind, count, size, later, laterBytes]) {
  const values = { kind, count: number(count), size: bytes(size), later: number(later), later_size: bytes(laterBytes) };
  return fill(ngettext(".%(kind)s: %(count)s file with %(size)s before, %(later)s with %(later_size)s afterwards", ".%(kind)s: %(count)s files with %(size)s before, %(later)s with %(later_size)s afterwards", count), values);
}

/**
 * Whether the messages come in the same order; a question mark where nobody compared them.
 * @param {boolean | null} order
 */
function orderWords(order) {
  if (order === null) return "?";
  return order ? gettext("the same") : gettext("not the same messages");
}
