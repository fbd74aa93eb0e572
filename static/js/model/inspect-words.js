/** The texts of the page Inspect: sentences by code, for what cannot be read and for what needs attention in pasted figures. */
import { ownQuestion } from "./generations.js";
import { bytes, fill, gettext, ngettext, number } from "./text.js";

/**
 * @import { Values } from "./catalogue/types.js"
 * @import { ImportOutcome, NextRow } from "./next-release-words.js"
 * @import { OrderlyStop, Upgrade } from "./upgrade-words.js"
 * @import { AnswerRow } from "./verdict-words.js"
 */

/** @typedef {{code: string, values: Values}} Coded */
/** @typedef {{ files: number, bytes: number, kept: number }} Collector garbage that waits for the collector of 4.x, and that in files which it leaves alone */

/**
 * The summary of a broker's files (playground/inspecting/rehearsal.py); what cannot be found in the files is null.
 * @typedef {{ name: string, live: number, back: number | null, listed: number | null, unreadable: number | null, expired?: number | null, ends?: "queue" | "host" | "dead" | null, crashes?: number | null, transient: number | null, no_content: number | null, delivered: number | null, redelivered: number | null, version?: number, journal: { size: number, records: number } | null, segments: SegmentRow[] }} QueueRow
 * @typedef {{ file: string, size: number, publishes: number, del_or_ack: number, live?: number | null }} SegmentRow
 * @typedef {{ store: string, file: string, size: number, after: number | null, entries: number, live: number | null, garbage: number | null, share: number | null, pins: Pin[] | null }} StoreRow
 * @typedef {{ queue: string, count: number, first: number, last: number }} Pin messages of a queue that keep a store file
 * @typedef {{ clean: boolean, compared: string[] }} CleanStop
 * @typedef {{ store: string, count: number, bytes: number }} Unowned bodies of a store that belong to no message of any index
 * @typedef {Coded & { file: string, offset: number | null, kind: string, hex: string }} DamageRow
 * @typedef {{ path: string, size: number, hex: string }} FileRow a file with its first bytes
 */

/**
 * The whole of it: `begun` is a scenario with the same messages, `started` the start on the files.
 * @typedef {{ release: string | null, source: string, target: string, stopped: boolean, orderly: OrderlyStop | null, queues: QueueRow[], stores: StoreRow[], stop: CleanStop | null, collector?: Collector | null, unowned: Unowned[], damage: DamageRow[], damage_more: number, files: FileRow[], files_more: number, upgrades: Upgrade[], failure: Coded | null, unplayed: Coded | null, left_out: string[], left_out_count: number, not_shown: number, begun: Values | null, started: { scenario: Values, power_cut_us: number, at_us: number } | false }} FilesAnswer
 * @typedef {{ step: string } & Values} Progress what is done while files are read (playground/inspecting/reading.py, Steps)
 * @typedef {{ vhosts: VhostRow[] }} ManyVhosts files of several virtual hosts were given, and none of these was named
 * @typedef {{ dir: string, name: string | null, queues: number, live: number, damage: number }} VhostRow
 */

/**
 * What a reader answers of a pasted listing, and of definitions.json.
 * @typedef {{ name: string, lanes: FigureLane[], questions: [code: string, values: Values][] }} Figures one queue's
 * @typedef {[name: string, messages: number | null, share: number, where: string]} FigureLane null where the text does not have it
 * @typedef {{ figures: Figures[], left_out: { line: number, text: string }[], left_out_count: number, columns: string[], more: number, rest: number, environment?: SettingsAnswer }} ListingAnswer
 * @typedef {{ scenario: Values | null, vhost: string, vhosts: [name: string, queues: number][], left_out: [name: string, why: Coded][], left_out_count: number, next: NextRow[], outcomes: ImportOutcome[] }} TopologyAnswer
 */

/** @typedef {{ scenario: Values, settings: Values, left_out: [name: string, why: Coded][], left_out_count: number, next: NextRow[] | null }} SettingsAnswer what a reader answers of a pasted configuration; `next` is null for a text that says how a node ran */

/**
 * Why something could not be read, with what to do; the codes are those of playground/inspecting.
 * @param {string} code
 * @param {Values} [values] a value can be coded as well
 * @param {Record<string, string>} [sentences] the engine's by code
 */
export function unreadableWords(code, values = {}, sentences = {}) {
  return fill(unreadable()[code] ?? gettext("This could not be read."), worded(values, sentences));
}

/** @returns {Record<string, string>} */
function unreadable() {
  return {
    names: gettext("The names of the files cannot be read. Choose the directory again."),
    zip: gettext("The zip cannot be read. Pack the directory again, without a password."),
    zip_member: gettext("The zip's entry %(name)s cannot be unpacked. Pack the directory again, with the usual compression and without a password."),
    path: gettext("A broker has no file of this name: %(name)s."),
    too_many_files: gettext("At most %(most)s files are read. Give one virtual host or queue."),
    too_many_bytes: gettext("Together the files have more than %(most)s MiB. Give one queue and its store."),
    no_files: gettext("It contains no files of a queue or a message store: .idx and journal.jif, or .qi and .qs, and .rdq. They lie below msg_stores/vhosts."),
    archive: gettext("%(name)s is an archive that is not unpacked here. Unpack it, and give the directory or a zip of it."),
    needs_memory: gettext("Reading these files needs more than the %(most)s MiB of memory that the server gives. Give one queue and its store, or let the engine run in your browser."),
    tab_memory: gettext("Reading these files needs more memory than a page of this browser has. Give one queue and its store."),
    takes_too_long: gettext("Reading these files takes more than the %(most)s seconds that the server gives. Give one queue and its store, or let the engine run in your browser."),
    long_answer: gettext("The report on these files has more than %(most)s MiB. Give one queue and its store."),
    one_at_a_time: gettext("Files of yours are being read already, or very many people wait. Try again when that is done."),
    many_read: gettext("The server is reading for others and did not get to your files. Try again in a few minutes."),
    no_record: gettext("No record begins there."),
    choice: gettext("This page asked for something that this server does not know. Load the page again."),
    not_agreed: gettext("The files would be sent to this server to be read. Agree to that first."),
    figures: gettext("This text has neither a backing_queue_status nor a setting of the broker. Paste what one of the commands above prints, rabbitmq.conf, advanced.config or what rabbitmqctl environment prints."),
    overview: gettext("This is /api/overview: it has totals of the whole node, and does not say where a queue's messages are. Paste /api/queues, or what one of the commands above prints."),
    listing_without_status: gettext("This is a listing of queues with neither messages_ram nor backing_queue_status, so it does not say where their messages are. Paste what one of the commands above prints."),
    other_listing: gettext("This is a listing of %(name)s, with no figures of a queue. Paste what one of the commands above prints."),
    node_status: gettext("This is the state of a node as a whole, with no figures of a queue and no setting that is read here. Paste what one of the commands above prints, or rabbitmqctl environment."),
    report_without_status: gettext("This is a report without listings of queues and without the node's environment. Paste what one of the commands above prints, or rabbitmqctl environment."),
    node_log: gettext("This is a node's log, which does not say where messages are. For what a start brings back, give the node's files; for where messages are, paste what one of the commands above prints."),
    metrics_page: gettext("This page of metrics names no queue. Paste /metrics/per-object, or what one of the commands above prints."),
    manifest_file: gettext("This is a Kubernetes manifest, and no line of it is a setting that is read here. Paste additionalConfig or rabbitmq.conf."),
    cut_text: gettext("This text ends before the figures of its first queue do. Copy it again, to its end."),
    no_queues: gettext("This listing has no queue in it. rabbitmqctl lists those of the virtual host /; for another one add -p NAME."),
    other_queues: gettext("All queues of this listing are quorum queues or streams, which keep their messages elsewhere. Only classic queues are read here."),
    tool_failed: gettext("This is an error of the tool, and no listing: %(says)s. The commands above are those that each release takes."),
    compose_file: gettext("This is a compose file. No argument -rabbit KEY VALUE is in it, so it sets nothing of a queue; its other variables are for the start of the container."),
    environment_file: gettext("This is rabbitmq-env.conf: variables for the start of the node's process, none of which is read here. Paste rabbitmq.conf, advanced.config or what rabbitmqctl environment prints."),
    definitions: gettext("This is not a definitions.json: it has no queue, policy or other entry of a broker."),
    definitions_bytes: gettext("The definitions have more than %(most)s bytes."),
    definitions_encoding: gettext("This is not UTF-8, from byte %(byte)s on. Save the file as UTF-8, as the broker exports it."),
  };
}

/**
 * Why the engine does not take something, or what is wrong with a file.
 * @param {Coded} coded as the reader answers it; a value can be coded as well
 * @param {Record<string, string>} sentences the engine's by code, in the reader's language
 * @returns {string}
 */
export function codedWords({ code, values }, sentences) {
  return fill(sentences[code] ?? failures()[code] ?? code, worded(values, sentences));
}

/**
 * Values as they stand in a sentence.
 * @param {Values} values
 * @param {Record<string, string>} sentences
 * @returns {Values}
 */
function worded(values, sentences) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value?.code ? codedWords(value, sentences) : Number.isInteger(value) ? number(value) : value]),
  );
}

/**
 * What is done while files are read, in two parts: the step, and how far it is.
 * @param {Progress} progress
 * @returns {[step: string, detail: string]}
 */
export function progressWords({ step, ...values }) {
  return [fill(steps()[step] ?? gettext("Reading …"), values), step === "reading" ? fill(gettext("%(path)s; read so far: %(done)s of %(size)s."), { ...values, done: bytes(values.done), size: bytes(values.size) }) : ""];
}

/** @returns {Record<string, string>} */
function steps() {
  return {
    waiting: gettext("Others come first: %(ahead)s. Your files are read as soon as there is room."),
    unpacking: gettext("Unpacking …"),
    reading: gettext("Reading …"),
    starting: gettext("Starting the engine on the files …"),
    rehearsing: gettext("Rehearsing an upgrade: %(release)s …"),
    answering: gettext("Putting the report together …"),
  };
}

/** @returns {Record<string, string>} */
function failures() {
  return {
    line_unread: gettext("no key with a value"),
    key_unused: gettext("no setting of a session has this name"),
    part_of_manifest_file: gettext("the rest of the manifest, from which no setting is taken"),
    part_of_node_log: gettext("the rest of the log, which does not say where messages are"),
    part_of_metrics_page: gettext("the rest of the metrics, which name no queue; /metrics/per-object does"),
    part_of_compose_file: gettext("the rest of the compose file, from which no setting is taken: its other variables are for the start of the container"),
    part_of_report: gettext("another part of the report, from which no setting is taken"),
    given_again: gettext("ignored, because %(key)s = %(value)s counts"),
    not_in_conf: gettext("rabbitmq.conf of 3.10.8 has no such key, and a node does not start with it; it belongs in advanced.config, or is written differently"),
    ratio_in_conf: gettext("rabbitmq.conf takes ratios below 1 only, and a node does not start with this one (M6); advanced.config takes it"),
    version_of_queue: gettext("used as an argument of the session's queue: x-queue-version = %(version)s"),
    section: gettext("a topology has no place for this section (entries: %(count)s)"),
    section_unknown: gettext("not a section that is known here (entries: %(count)s)"),
    operator_policy: gettext("an operator policy: its limits for queues called %(pattern)s do not apply here"),
    policy_of_plugin: gettext("keys of the federation plugin, which is not played here: %(names)s; no message comes from another broker"),
    policy_not_for_classic: gettext("it names keys that classic queues do not have, so RabbitMQ applies none of it to them, its limits included: %(names)s"),
    type_by_default: gettext("a %(type)s queue: it names no type, and its virtual host %(vhost)s gives this one by default"),
    untyped_queues: gettext("a queue that names no type is a %(type)s queue on such a node; the queue of this session is a classic one"),
    policy_of_other_queues: gettext("it applies to %(type)s only, and there are none here"),
    no_list: gettext("this is not a list"),
    no_objects: gettext("entries that are not objects: %(count)s"),
    other_vhosts: gettext("entries of virtual hosts that are left out: %(count)s"),
    queues_beyond: gettext("more queues than a session can have: at most %(most)s"),
    vhosts_beyond: gettext("more virtual hosts than a session can have: at most %(most)s"),
    fields_unread: gettext("fields that are not used: %(names)s"),
    beyond: gettext("%(count)s more; %(most)s are read at most"),
    exchange_type: gettext("an exchange of type %(type)s comes from a plugin, and is not played here"),
    binding_of_queue: gettext("its queue %(name)s is left out"),
    binding_of_exchange: gettext("its exchange %(name)s is left out"),
    destination_type: gettext("no binding to a %(type)s is known"),
    start_needs_memory: gettext("it needs more memory than reading may take (records in the index: %(records)s)"),
    start_takes_too_long: gettext("it takes longer than reading may take (records in the index: %(records)s)"),
    start_hangs: gettext("the node hangs at its boot: it cannot read the index of queue %(queue)s, and the message store waits for that without end (S117)"),
    many_messages: gettext("the queues have more than %(most)s messages"),
    far_apart: gettext("A record's seq_id is millions of messages away from the others. A start would look for every message between them."),
    unexpected: "%(why)s",
  };
}

/**
 * Values with their whole numbers as the page writes them.
 * @param {Values} values
 * @returns {Values}
 */
const spaced = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number.isInteger(value) ? number(value) : value]));

/**
 * The answer of a listing: each queue with its messages, how many of them are in RAM, and the first question.
 * @param {Figures[]} figures
 * @returns {AnswerRow[]}
 */
export function listingRows(figures) {
  return figures.map(({ name, lanes, questions: asked }) => {
    const counted = (/** @type {FigureLane[]} */ some) => (some.some(([, count]) => count === null) ? "?" : number(some.reduce((whole, [, count]) => whole + (count ?? 0), 0)));
    const first = asked.find(([code]) => code !== "counters_only") ?? asked[0];
    return {
      target: name,
      starts: counted(lanes),
      back: counted(lanes.filter(([, , , where]) => where === "ram")),
      first: first ? questionWords(first[0], first[1]) : gettext("nothing"),
      tone: "good",
    };
  });
}

/**
 * A question that a queue's figures raise.
 * @param {string} code
 * @param {Values} [values]
 */
export function questionWords(code, values = {}) {
  return fill(questions(values)[code] ?? ownQuestion(code, values) ?? code, spaced(values));
}

/**
 * @param {Values} values of the question
 * @returns {Record<string, string>}
 */
function questions({ count = 0 }) {
  return {
    grows: gettext("More comes in than goes out (%(ingress)s and %(egress)s per second): the queue grows. Who is slow?"),
    version_unknown: gettext("The status says version %(version)s, which is not known here: read the lanes with care."),
    version_summed: gettext("The status says version %(version)s: of a priority queue it is the sum of its parts' versions."),
    counters_only: gettext("This listing has counters only: in RAM %(ram)s, on disk alone %(disk)s."),
    ready_with_consumers: ngettext("%(count)s message is ready though consumers are connected (%(consumers)s). Is their prefetch full of unacknowledged messages, or their connection blocked by flow control?", "%(count)s messages are ready though consumers are connected (%(consumers)s). Is their prefetch full of unacknowledged messages, or their connection blocked by flow control?", count),
    lanes_missing: gettext("Missing from the text, or in an unknown form: %(names)s. They are not counted as 0."),
    other_sum: gettext("len is %(length)s, and the lanes together are %(sum)s: a part of this status is missing here or was changed."),
    other_messages: gettext("messages is %(messages)s, but ready (%(ready)s) and unacknowledged (%(unacked)s) add up to something else: they were counted at different moments."),
    fields_unknown: gettext("Not known, and not used here: %(names)s."),
    pending: ngettext("%(count)s message waits for its ack. Is a prefetch missing, or does a consumer hang?", "%(count)s messages wait for acks. Is a prefetch missing, or does a consumer hang?", count),
  };
}

/**
 * What a real start makes of a queue after a clean stop, whose index it believes; nothing after any other.
 * @param {number | null} listed
 * @param {number | null} lost
 * @param {number | null} back in the end
 * @param {QueueRow["ends"]} [ends] what the first read of damage ends
 */
function saved(listed, lost, back, ends) {
  if (ends === "dead") return [gettext("The process of this queue does not start on its files: the node starts, and clients get 404. The other queues are not affected.")];
  if (listed === null || listed === undefined) return [];
  const sentences = [fill(ngettext("A real start believes the clean stop and looks into no store file (S206): %(n)s is listed.", "A real start believes the clean stop and looks into no store file (S206): %(n)s are listed.", listed), { n: number(listed) })];
  if (!lost) return sentences;
  const values = { given: number(listed - lost), n: number(lost), back: back === null ? "?" : number(back) };
  const ending = ends === "host" ? gettext("Clients get %(given)s. The next read ends the virtual host, with every connection to it; it starts again as after a crash, and this queue then has %(back)s.") : gettext("Clients get %(given)s. The next read closes the connection with 541 INTERNAL_ERROR and ends the queue's process; it starts again on its files, and then gives %(back)s.");
  sentences.push(fill(ending, values));
  return sentences;
}

/**
 * What the log says of a queue whose process ends at its start and is started again on its files.
 * @param {number} [version]
 */
const crashed = (version) => [
  gettext("Its process crashes once at the start and is then started again on its files, as after a kill: the log has a crash report."),
  ...(version === 2 ? [gettext("The log also has a line “Queue … dropped … persistent messages … after unclean shutdown” (W205).")] : []),
];

/**
 * What becomes of messages whose time is over when a start meets them.
 * @param {number} n
 */
export const expiredWords = (n) =>
  fill(ngettext("%(n)s has expired by then: the start drops it, or sends it to the queue's dead-letter exchange.", "%(n)s have expired by then: the start drops them, or sends them to the queue's dead-letter exchange.", n), { n: number(n) });

/**
 * What becomes of a queue's live messages at a start: sentences.
 * @param {QueueRow} figures
 */
export function startWords({ live, back, listed, unreadable: unread, expired, ends, crashes, transient, no_content: noContent, delivered, redelivered, version }) {
  const sentences = [...(crashes ? crashed(version) : []), ...saved(listed, unread, back, ends)];
  if (back === null) return sentences;
  if (back) sentences.push(fill(ngettext("%(n)s comes back: the index has its publish record and no ack.", "%(n)s come back: the index has their publish record and no ack.", back), { n: number(back) }));
  if (back && redelivered === 0 && version === 2) sentences.push(gettext("None of them is marked redelivered: the queue stopped in order, and none had been delivered before (W41)."));
  else if (back && redelivered !== null && redelivered < back)
    sentences.push(
      fill(
        version === 2
          ? ngettext("%(n)s of them is marked redelivered: it had been delivered before the broker stopped in order (W41).", "%(n)s of them are marked redelivered: they had been delivered before the broker stopped in order (W41).", redelivered)
          : ngettext("%(n)s of them is marked redelivered: each record has its own mark, and the broker stopped in order (V10).", "%(n)s of them are marked redelivered: each record has its own mark, and the broker stopped in order (V10).", redelivered),
        { n: number(redelivered) },
      ),
    );
  else if (delivered && back) sentences.push(fill(ngettext("%(n)s of the live ones was delivered before; what comes back is marked redelivered.", "%(n)s of the live ones were delivered before; what comes back is marked redelivered.", delivered), { n: number(delivered) }));
  if (transient) sentences.push(fill(ngettext("%(n)s is transient: a start drops it.", "%(n)s are transient: a start drops them.", transient), { n: number(transient) }));
  if (noContent) sentences.push(fill(ngettext("%(n)s is persistent, and its content is in no store file: it is lost.", "%(n)s are persistent, and their content is in no store file: they are lost.", noContent), { n: number(noContent) }));
  if (expired) sentences.push(expiredWords(expired));
  const other = live - back - (noContent ?? 0) - (expired ?? 0);
  if (other > 0) sentences.push(fill(ngettext("%(n)s more does not come back.", "%(n)s more do not come back.", other), { n: number(other) }));
  return sentences;
}

/**
 * What keeps a store file, or that nothing does.
 * @param {StoreRow} file
 */
export function pinWords({ entries, live, pins }) {
  if (live === 0 && entries) return [gettext("nothing pins it: a start deletes it")];
  return (pins ?? []).map(({ queue, count, first, last }) =>
    first === last
      ? fill(gettext("%(queue)s pins it with seq %(first)s"), { queue, first: number(first) })
      : fill(ngettext("%(queue)s pins it with %(count)s message, seq %(first)s to %(last)s", "%(queue)s pins it with %(count)s messages, seq %(first)s to %(last)s", count), { queue, count: number(count), first: number(first), last: number(last) }));
}

/**
 * What garbage the collector of 4.x has not come to, and what it leaves alone.
 * @param {Collector | null} [collector]
 */
export function collectorWords(collector) {
  if (!collector) return [];
  const { files, bytes: size, kept } = collector;
  const due = fill(ngettext("%(files)s file is more than half garbage and waits for the collector, which compacts one file after the other (W141): %(bytes)s. If publishers are faster than it is, the store grows although the queues are short. Slow them down, and the disk space comes back.", "%(files)s files are more than half garbage and wait for the collector, which compacts one file after the other (W141): %(bytes)s. If publishers are faster than it is, the store grows although the queues are short. Slow them down, and the disk space comes back.", files), { files: number(files), bytes: bytes(size) });
  const rest = fill(gettext("Garbage in files that are at most half garbage: %(bytes)s. The collector leaves these alone; each goes when the messages that pin it are acknowledged."), { bytes: bytes(kept) });
  return [...(files ? [due] : [gettext("The collector is not behind: no file is more than half garbage (W141).")]), ...(kept ? [rest] : [])];
}

/**
 * What is sentences of the files that a clean stop leaves.
 * @param {CleanStop | null} stop
 */
export function stopWords(stop) {
  if (!stop) return gettext("All files that a clean stop leaves are missing: the node was killed, or still runs. A start reads every record.");
  const text = stop.clean
    ? gettext("The broker stopped cleanly. A start trusts these files and scans no store file; so does the start that is played below.")
    : gettext("Some files that a clean stop leaves are missing: a real start does not trust the rest, and scans every record.");
  return text;
}
