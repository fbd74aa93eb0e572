/**
 * Of each run {catalogs, rows, at_us, follow, told}: plays it as the first page does and holds what its sentence claims against the
 * rows themselves and against the gauges and lanes of the same moment: at every transition, as a frame may end anywhere, and where the
 * beats of a message are drawn. `told` is what the beats of the first followed message say, by the beginnings of their English texts.
 */
import { decode } from "../../static/js/model/catalogue/rows.js";
import { Beats, captionOf, causeOf, endOfMoment } from "../../static/js/model/followed.js";
import { lengthOf } from "../../static/js/model/messages.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { emptyState } from "../../static/js/model/reduce.js";
import { Session } from "../../static/js/model/session.js";
import { bytes } from "../../static/js/model/text.js";
import { gaugesOf } from "../../static/js/view/stage/gauges.js";
import { History } from "../../static/js/model/history.js";
import { eachRun, fail, same } from "./asking.mjs";

const counts = { moments: 0, claims: 0, beats: 0, causes: 0 };
let asked = [];
let language = {};
globalThis.gettext = (text) => (asked.push(text), language[text]?.[0] ?? text);
globalThis.ngettext = (one, many, count) => globalThis.gettext(count === 1 ? one : many);

/** What a text claims to be in a file of the message: by its English words. */
const CLAIMS = [
  [/content .* sank to disk/, ["content"]],
  [/the content .* is on disk, and its index in RAM and on disk/, ["content", "index"]],
  [/its content and its index are on disk/, ["content", "index"]],
  [/content .* in the write buffer .* its index in RAM and on disk/, ["index"]],
];

/** What is in files after some rows: bytes of each store's files that were written, records by their place, entries of segments. */
class Files {
  constructor(perSegment) {
    Object.assign(this, { perSegment, written: {}, records: {}, recorded: new Set(), index: new Set() });
  }

  take(t) {
    const file = `${t.store}/${t.file}`;
    if (t.kind === "StoreWritten")
      for (let at = 0; at < t.count; at += 1) {
        const msgNo = t.step < 0 ? t.msg_no + t.count - 1 - at : t.msg_no + at;
        this.records[msgNo] = { file, end: t.offset + (at + 1) * t.record_bytes };
      }
    if (t.kind === "BufferWritten") this.written[file] = (this.written[file] ?? 0) + t.bytes;
    if (t.kind === "EntriesRecorded" && t.action.startsWith("publish"))
      for (let at = 0; at < t.count; at += 1) this.recorded.add(t.start + at);
    if (t.kind === "SegmentWritten")
      for (const seq of this.recorded) if (Math.floor(seq / this.perSegment) === t.segment) this.index.add(seq);
    if (t.kind === "JournalSynced") for (const seq of this.recorded) this.index.add(seq);
  }

  /** Whether files have the content, and whether they have the index entry, of a message of a run with one queue and no drops. */
  has(seq) {
    const record = this.records[seq];
    return { content: Boolean(record) && (this.written[record.file] ?? 0) >= record.end, index: this.index.has(seq) };
  }
}

/** The sentence of a moment in each language, held against the files and the gauge; returns its English text. */
function told(state, msgNo, seq, files, catalogs, where) {
  let english = "";
  const lane = Object.entries(state.queues.orders?.lanes ?? {}).find(([, rows]) => rows.some(([start, count]) => start <= seq && seq < start + count));
  for (const catalog of catalogs) {
    [asked, language] = [[], catalog];
    const { text } = captionOf(state, seq, msgNo);
    const candidates = asked;
    english = candidates.find((each) => sameStart(catalog[each]?.[0] ?? each, text)) ?? "";
    if (!english) fail(where, [`"${text}" is none of ${candidates}`]);
    const { disk } = gaugesOf(state, {});
    for (const [pattern, parts] of CLAIMS) {
      if (!pattern.test(english)) continue;
      counts.claims += 1;
      for (const part of parts) if (!files.has(seq)[part]) fail(where, [`"${text}", but no file has the ${part}`]);
      if (disk.label === bytes(0)) fail(where, [`"${text}" while the gauge says ${disk.label}`]);
    }
    const named = /%\(place\)s/.test(english);
    if (named && (!text.includes(lane?.[0]) || !lengthOf(state.queues.orders, lane[0]))) fail(where, [`"${text}", but it is in ${lane?.[0]}`]);
  }
  return english;
}

/** A cause that names memory's line: memory must be past it, or below it, as the cause says, and the number is the gauge's. */
function caused(state, seq, where) {
  language = {};
  const text = causeOf(state, seq);
  const { process_memory: used, paging_at: line } = state.node.memory;
  const past = /\bpast\b|passed/.test(text ?? "");
  if (text === null || !(past || text.includes("below"))) return;
  counts.causes += 1;
  if (past !== used >= line || !text.includes(bytes(line))) fail(where, [`"${text}" with ${bytes(used)} of ${bytes(line)}`]);
}

/** Whether a text is a template that was filled: its fixed parts come in their order. */
function sameStart(template, text) {
  let at = 0;
  for (const part of template.split(/%\(\w+\)s/)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at === text.length || template.endsWith("s");
}

/** Play a run in frames that end where `ends` says, with the page's own beats. */
function play({ catalogs, rows, at_us: atUs, told: story }, seq, ends) {
  const session = new Session(new History({ every: 50, maxRows: Infinity, maxWeight: Infinity }));
  session.snapshot({ next: 0, at_us: 0, state: emptyState(), digest: "", skipped: null, why: "join" });
  const playhead = new Playhead(session);
  const beats = new Beats(seq);
  session.watch((_, at, state) => beats.saw(at, state));
  const files = [];
  const known = new Files(8);
  for (const row of rows) files.push(structuredClone((known.take(decode(row)), { ...known })));
  const filesAt = (position) => Object.assign(new Files(8), files[position - 1]);
  const said = [];
  const number = () => session.numbers.numberOf("orders", seq);
  for (let first = 0; first < rows.length; ) {
    const next = ends(first);
    session.frame({ first, rows: rows.slice(first, next), at_us: atUs.slice(first, next), now_us: atUs[next - 1] });
    counts.moments += 1;
    told(session.state, number(), seq, filesAt(next), catalogs, `message ${seq} after row ${next - 1}`);
    caused(session.state, seq, `message ${seq} after row ${next - 1}`);
    for (let at = beats.next(); at !== null; at = beats.next()) {
      const position = endOfMoment(at, Math.min(session.next, beats.waiting[0] ?? session.next), session.history);
      playhead.go(position, { us: session.history.timeOf(position) });
      said.push(told(playhead.state, number(), seq, filesAt(position), catalogs, `beat of message ${seq} at row ${at}`));
      counts.beats += 1;
      playhead.now();
    }
    first = next;
  }
  return { said, story };
}

eachRun((run) => {
  const { rows, at_us: atUs } = run;
  const instant = (first) => {
    let next = first + 1;
    while (next < rows.length && atUs[next] === atUs[first]) next += 1;
    return next;
  };
  run.follow.forEach((seq, which) => {
    play(run, seq, (first) => first + 1);
    for (const ends of [instant, () => rows.length]) {
      const { said, story } = play(run, seq, ends);
      if (which === 0) same("what the beats say", said.map((text, at) => text.startsWith(story[at]) && story[at]), story);
    }
  });
});
console.log(JSON.stringify(counts));
