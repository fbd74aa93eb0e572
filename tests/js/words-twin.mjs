/**
 * Of each run {catalogs, rows, at_us}: plays it as the page does and looks, at every moment, at all that the page says: the sentence
 * above the stage, the first page's of one message, the line of what happened, Why?, the gauges, the lanes in words, the table, and
 * what Compare would say of two steps. They must agree with each other and
 * with the state of that moment: no number that neither the state nor the transition has, no name of a field, in three languages.
 * Prints how many moments and sentences were looked at.
 */
import { named as numbersNamed } from "../../static/js/model/number-words.js";
import { named as settingsNamed } from "../../static/js/model/setting-words.js";
import { NAMED as FACTS } from "../../static/js/model/fact-words.js";
import { KINDS } from "../../static/js/model/catalogue/kinds.js";
import { INDEXED, IN_RAM, decode } from "../../static/js/model/catalogue/rows.js";
import { differingFields } from "../../static/js/compare/differences.js";
import { captionOf } from "../../static/js/model/followed.js";
import { generationOf } from "../../static/js/model/generations.js";
import { governs } from "../../static/js/model/governs.js";
import { lengthOf, pendingOf } from "../../static/js/model/messages.js";
import { laneLabel, lanesOf } from "../../static/js/model/places.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { emptyState } from "../../static/js/model/reduce.js";
import { restarted } from "../../static/js/model/restarted.js";
import { Session } from "../../static/js/model/session.js";
import { shownQueue } from "../../static/js/model/shown.js";
import { figures, memoryOf } from "../../static/js/model/facts.js";
import { situation } from "../../static/js/model/situation.js";
import { bytes, clock, decimal, number, seconds, span } from "../../static/js/model/text.js";
import { explain, explainLine, sentenceOf } from "../../static/js/model/why.js";
import { movedBy } from "../../static/js/model/timeline.js";
import { gaugeText, ramGauge } from "../../static/js/view/stage/gauges.js";
import { History } from "../../static/js/model/history.js";
import { eachRun, fail, same } from "./asking.mjs";
import { GENERAL, PRECONDITIONS } from "./helpers/preconditions.mjs";

const BACK = 12;
const counts = { moments: 0, sentences: 0, back: 0, preconditions: 0 };
/** How many sentences of each surface were held, by the profile of the run: "profile/surface" -> count. */
const bySurface = {};
let profile = "";
const SURFACES = [[/^headline/, "headline"], [/^log of/, "log"], [/^(Why\?|step|origin)/, "Why?"], [/^first page/, "first page"], [/^Compare/, "Compare"]];

/** Count what a surface said. */
function noted(surface) {
  bySurface[`${profile}/${surface}`] = (bySurface[`${profile}/${surface}`] ?? 0) + 1;
}

/** Sentences that hold only while memory is under the paging line, or only past it. */
const UNDER = /^Memory is (fine|under the paging line)|^Memory is under/;
const PAST = /^Past the paging line|over the paging line of/;

/** The texts that were asked for, as they are in English; the page's words come through here. */
let asked = [];
let language = {};
globalThis.gettext = (text) => (asked.push(text), language[text]?.[0] ?? text);
globalThis.ngettext = (one, many, count) => {
  asked.push(count === 1 ? one : many);
  return language[one]?.[0] ?? (count === 1 ? one : many);
};

/** Every way in which the page writes a number. */
function forms(value) {
  const shares = [decimal(value, 2), decimal(value, 3), decimal(value, 4), decimal(value / 1000, 3)];
  return [number(value), bytes(value), seconds(value), clock(value), span(value), ...shares];
}

const TOKEN = /(?<![A-Za-z0-9_.-])\d[\d\u202f.]*(?<![.\u202f])(?![A-Za-z_])/g;
const tokens = (text) => text.match(TOKEN) ?? [];

/** Numbers and texts of anything, into sets. */
function gather(value, numbers, texts) {
  if (typeof value === "number") for (const form of forms(Math.abs(value))) for (const token of tokens(form)) numbers.add(token);
  if (typeof value === "string" && value) texts.add(value);
  if (Array.isArray(value)) numbers.add(String(value.length));
  if (value && typeof value === "object") for (const each of Object.values(value)) gather(each, numbers, texts);
}

/** A sentence has no raw name, no hole, and no number that `sources` lack. */
function honest(what, text, sources) {
  counts.sentences += 1;
  noted(SURFACES.find(([pattern]) => pattern.test(what))[1]);
  if (!text || /%\(|undefined|NaN|\[object/.test(text)) fail(what, [`"${text}" has a hole`]);
  const [numbers, texts] = [new Set(), new Set()];
  for (const source of sources) gather(source, numbers, texts);
  for (const each of asked) for (const token of tokens(each)) numbers.add(token);
  for (const each of asked) for (const token of tokens(language[each]?.[0] ?? "")) numbers.add(token);
  let plain = text;
  for (const each of [...texts].sort((a, b) => b.length - a.length)) plain = plain.replaceAll(each, " ");
  if (/[A-Za-z0-9]_[A-Za-z0-9]/.test(plain)) fail(what, [`"${text}" has the name of a field`]);
  for (const token of tokens(plain)) if (!numbers.has(token)) fail(what, [`"${text}" has ${token}, which nothing of the moment has`]);
}

/** Names that are the word for it as well. */
const WORDS = new Set(["queue mode"]);

/** Names of fields as code has them, with spaces, that a sentence must not have. */
const rawNames = (values) =>
  Object.keys(values ?? {}).filter((name) => name.includes("_")).map((name) => name.replaceAll("_", " ")).filter((name) => !WORDS.has(name));

function noRaw(what, text, t) {
  for (const name of [...rawNames(t.values), ...rawNames(t.why)]) if (text.includes(name)) fail(what, [`"${text}" has the raw name ${name}`]);
}

/** Say something in each language, and look at it. */
function said(catalogs, say, look) {
  for (const catalog of catalogs) {
    language = catalog;
    asked = [];
    look(say(), asked);
  }
  language = {};
}

function headline(session, catalogs) {
  const { state, timeline } = session;
  const now = figures(state);
  const memory = memoryOf(state);
  const say = () => restarted(state, timeline.lines) ?? situation(state);
  said(catalogs, say, ({ text }, words) => {
    const over = now.target === null ? 0 : (now.queue?.counters.ram_msg_count ?? 0) + (now.queue?.lanes.ram_pending ?? []).reduce((sum, row) => sum + row[1], 0) - now.target;
    honest("headline", text, [now.lengths, now.ready, now.inRam, now.unacked, now.onlyCounted, now.target, now.limited, now.counters.window, Math.min(now.counters.window ?? 1, now.onlyCounted), onDisk(now.queue), over, memory.used, memory.pagingAt, memory.used - memory.pagingAt, ...fates(timeline, shownQueue(state))]);
    if (words.some((each) => UNDER.test(each)) && memory.past) fail("headline", [`"${text}" with ${memory.used} of ${memory.pagingAt}`]);
    if (words.some((each) => PAST.test(each)) && !memory.past) fail("headline", [`"${text}" with ${memory.used} of ${memory.pagingAt}`]);
    if (words.some((each) => /must leave RAM/.test(each)) && over <= 0) fail("headline", [`"${text}", but nothing is over the target`]);
    if (words.some((each) => /the queue sleeps/.test(each)) && (state.queues[now.name]?.queue_process ?? state.node.clock.queue_process) !== "hibernating") fail("headline", [`"${text}" of a queue that is awake`]);
    if (words.some((each) => /Paging goes on/.test(each)) && now.target === null) fail("headline", [`"${text}", but nothing is paged`]);
  });
}

/** What the last start did to a queue: others started beside it. */
const fates = ({ lines }, name) => lines.filter(({ fate, t }) => fate && t.queue === name).slice(-1).map(({ fate }) => [sums(fate), fate]);
const sums = (fate) => Object.values(fate).filter(Array.isArray).map((rows) => rows.reduce((sum, row) => sum + row[1], 0));

/** How many listed messages that wait have their content on disk alone. */
const onDisk = (queue) => lanesOf(queue).flatMap((lane) => queue?.lanes[lane] ?? []).reduce((sum, row) => sum + (row[4] & IN_RAM ? 0 : row[1]), 0);

function gauges(session, catalogs) {
  const { state } = session;
  const { used, pagingAt, past } = memoryOf(state);
  const { limit = null } = state.node.memory;
  const files = [...Object.values(state.stores).flatMap((store) => store.files.map((file) => file[4]))];
  const gauge = ramGauge(state, { alarm: "alarm", beta: "paging", ink3: "plain" });
  same("colour of the gauge", gauge.color, limit !== null && used > limit ? "alarm" : past ? "paging" : "plain");
  same("value of the gauge", [gauge.value, gauge.label], [used, bytes(used)]);
  said(catalogs, () => gaugeText(state), (text) => {
    // A release without paging has no such line, and no word of it (W70).
    if (pagingAt === null && asked.at(-1)?.includes("paging")) fail("gauges", [text]);
    noted("gauges");
    for (const each of [used, ...(pagingAt === null ? [] : [pagingAt]), limit]) if (!text.includes(bytes(each))) fail("gauges", [`"${text}" without ${each}`]);
    if (/[a-z]_[a-z]/.test(text) || files.some(Number.isNaN)) fail("gauges", [text]);
  });
}

function lanes(session, catalogs) {
  const name = shownQueue(session.state);
  const queue = name === null ? null : session.state.queues[name];
  for (const lane of lanesOf(queue))
    said(catalogs, () => laneLabel(lane, lengthOf(queue, lane), lanesOf(queue)), (text) => {
      noted("stage in words");
      if (!text.includes(number(lengthOf(queue, lane)))) fail("stage in words", [`"${text}" without ${lengthOf(queue, lane)}`]);
    });
  const sample = session.timeline.samples.at(-1);
  const row = [...lanesOf(queue).map((lane) => sample[lane]), sample.pending, sample.memory];
  noted("table");
  same("row of the table", row, [...lanesOf(queue).map((lane) => lengthOf(queue, lane)), pendingOf(queue), session.state.node.memory.process_memory ?? 0]);
}

/** How long after a moment a transition's times are due. */
const dueIn = (t, atUs) =>
  Object.entries(t.values ?? {}).filter(([name, value]) => name.endsWith("_at_us") && value !== null).map(([, value]) => Math.max(0, value - atUs));

/** The live slots of all files that a queue of version 2 found. */
const slotsOf = (t) => (t.kind === "FilesFound" ? t.segments.reduce((sum, [, , live]) => sum + live, 0) : []);

/** The last message of those that a transition has in a row. */
const lastOf = (t) => (t.start !== undefined && t.count > 0 ? t.start + t.count - 1 : []);

/** Each reason that the page gives of a transition was so: the condition that stands for it holds of the states around it. */
function founded(t, before, after, seen) {
  said([{}], () => explain(t), ({ reason }, words) => {
    const found = words.filter((text) => PRECONDITIONS[text]);
    if (reason && t.text === undefined && !found.length && !words.some((text) => GENERAL.has(text))) fail(`reason of ${t.kind}`, [`"${reason}" has no precondition`]);
    for (const text of found) {
      const holds = PRECONDITIONS[text];
      counts.preconditions += 1;
      reached.add(text);
      if (!holds({ t, before, after, seen })) fail(`reason of ${t.kind} (${t.rule})`, [`"${text}" of ${JSON.stringify(t)}`]);
    }
  });
}

const reached = new Set();
const around = (state, t) => ({ state, queue: state.queues[t.queue] });

/** A copy of what preconditions read of the state before a transition: its queue and its store. */
function copied({ queues, stores }, t) {
  const store = stores[t.store];
  return structuredClone({ state: { stores: store ? { [t.store]: { files: store.files, current: store.current } } : {} }, queue: queues[t.queue] });
}

/** What the log and Why? say of a line, with the target and the settings of its own moment. */
function reasons(line, held, then, catalogs) {
  const { t, whole, messages, fate, atUs } = line;
  const moved = ["q1_moved", "q4_moved", "pending_paged"].reduce((sum, name) => sum + (whole.why?.[name] || 0), 0);
  const sources = [t, whole, moved, messages, line.times, fate, fate && sums(fate), dueIn(t, atUs), slotsOf(t), lastOf(t)];
  said(catalogs, () => sentenceOf(line), ({ text }) => {
    honest(`log of ${t.kind}`, text, sources);
    noRaw(`log of ${t.kind}`, text, t);
  });
  said(catalogs, () => explainLine(line, held.target), (why) => {
    same(`title of Why? and the log (${t.kind})`, why.title, sentenceOf(line).text);
    if (t.kind === "Reduced") same("the sum of all passes", messages, movedBy(whole.why));
    const known = held.target ? [held.target.t, held.target.memory] : [];
    honest(`Why? of ${t.kind}`, `${why.title} ${why.reason}`, [...sources, t.why]);
    for (const step of why.steps) honest(`step of ${t.kind}`, `${step.title} ${step.detail}`, [t.why]);
    if (!why.origin) return;
    same(`target and its origin (${t.kind})`, why.origin.target, why.bar ? why.bar.target : t.target);
    if (then !== undefined) same(`target of ${t.queue} (${t.kind})`, why.origin.target, then);
    for (const each of why.origin.lines) honest(`origin of ${t.kind}`, each, [t, ...known, sumsOf(held.target)]);
    const free = why.origin.lines.some((each) => each === (language[FREE]?.[0] ?? FREE));
    if (free && why.origin.target !== null) fail(`origin of ${t.kind}`, [why.origin.lines]);
  });
  const setting = governs(t, held.moment);
  if (setting && setting.name !== "prefetch") same(`setting of ${t.kind}`, setting.value, held.moment.settings[setting.name]);
}

const FREE = "Memory is under the paging line, so any number may stay.";

/** The parts of a target's sum. */
function sumsOf(target) {
  if (!target) return [];
  const { process_memory: used, limit } = target.memory;
  const { duration, rates } = target.t.why;
  return [used / limit, ...(duration ? [duration, duration * rates] : [])];
}

/** What decided a transition has words for all of its numbers, and so has all that the log says of settings and queues. */
function named(t) {
  const lacking = Object.keys(t.why ?? {}).filter((name) => typeof t.why[name] !== "object" && !numbersNamed().has(name));
  if (t.kind === "NodeChanged" && t.part === "settings") lacking.push(...Object.keys(t.values).filter((name) => !settingsNamed().has(name)));
  if (t.kind === "QueueChanged") lacking.push(...Object.keys(t.values).filter((name) => !FACTS.has(name)));
  if (lacking.length) fail(`words of ${t.kind}`, lacking);
}

/** The word with which the first page's sentence about a message begins, from the fold alone; null before the message comes. */
function wordFor(queue, seq) {
  const has = ([start, count]) => start <= seq && seq < start + count;
  for (const [lane, held] of Object.entries(queue.lanes)) {
    const row = held.find(has);
    if (row && /pending/.test(lane)) return ["Delivered", ""];
    if (row) return [row[4] & IN_RAM ? "Alpha" : row[4] & INDEXED ? "Gamma" : "Beta", lane];
  }
  // Where a range has gaps, as after a crash that dropped the transient ones, the index alone says which messages are in it.
  const live = ([start, count, , end]) => end - start === count || generationOf(queue).live(queue.own, seq, 1).length > 0;
  if (Object.values(queue.counted).some((range) => range[0] !== null && range[0] <= seq && seq < range[3] && live(range))) return ["Delta", ""];
  return (queue.counters.next_seq_id ?? 0) > seq ? ["Message", ""] : null;
}

/** What the first page says of one message is where the fold has it at this moment; the sentences, each once, in their order. */
function followed(session, catalogs, seq, beginnings) {
  const { queue } = figures(session.state);
  const expected = queue && wordFor(queue, seq);
  if (!expected) return;
  const [word, lane] = expected;
  const buffers = Object.values(session.state.stores).map((store) => store.buffered_bytes);
  said(catalogs, () => captionOf(session.state, seq), ({ text }, words) => {
    honest("first page", text, [seq, buffers]);
    if (!words.some((each) => each.startsWith(word)) || !text.includes(lane)) fail("first page", [`"${text}", but ${seq} is ${word} in ${lane}`]);
  });
  if (beginnings.at(-1) !== word) beginnings.push(word);
}

/** Where two steps of one kind differ, Compare names what differs by words, in each language. */
function parted(before, t, catalogs) {
  said(catalogs, () => differingFields(before, t), (fields) => {
    for (const { name, a, b } of fields) {
      honest(`Compare: ${t.kind}`, `${name}: ${a} / ${b}`, [before, t, ...[before, t].flatMap((each) => each.extents ?? []).map(([start, count]) => start + count - 1)]);
      if (/\w_\w/.test(name) || (name !== "routing key" && rawNames({ ...t, ...t.why }).includes(name))) fail(`Compare: ${t.kind}`, [`"${name}" is a raw name`]);
    }
  });
}

eachRun(({ catalogs, rows, at_us: atUs, follow = [0], beats = null, ...run }) => {
  profile = run.profile ?? "";
  const session = new Session(new History({ every: 50, maxRows: Infinity, maxWeight: Infinity }));
  session.snapshot({ next: 0, at_us: 0, state: emptyState(), digest: "", skipped: null, why: "join" });
  const playhead = new Playhead(session);
  const targets = new Map();
  const kinds = new Map();
  const beginnings = [];
  const seen = {};
  rows.forEach((row, at) => {
    const next = decode(row);
    const before = copied(session.state, next);
    session.frame({ first: at, rows: [row], at_us: [atUs[at]], now_us: atUs[at] });
    counts.moments += 1;
    noted("moments");
    const t = next;
    seen[t.kind] = (seen[t.kind] ?? 0) + 1;
    founded(t, before, around(session.state, t), seen);
    named(t);
    if (KINDS[t.kind].shown === "step") return;
    if (t.queue !== undefined) targets.set(at, session.state.queues[t.queue]?.counters.target_ram_count);
    headline(session, catalogs);
    gauges(session, catalogs);
    lanes(session, catalogs);
    for (const seq of follow) followed(session, catalogs, seq, beginnings);
    if (kinds.has(t.kind)) parted(kinds.get(t.kind), t, catalogs);
    kinds.set(t.kind, t);
    const line = session.timeline.lines.findLast(({ number: last }) => last === at);
    if (line) reasons(line, playhead.heldAt(line), targets.get(at), catalogs);
  });
  if (beats) same("sentences of the first page", beginnings, beats);
  // What is read again later is explained as it was then: each line of the log, from the present and from moments of the past.
  for (const line of session.timeline.lines) reasons(line, playhead.heldAt(line), targets.get(line.number), catalogs.slice(0, 1));
  for (let step = 1; step < BACK; step += 1) {
    if (!playhead.go(Math.floor((rows.length * step) / BACK))) continue;
    counts.back += 1;
    for (const line of playhead.reasons().lines) reasons(line, playhead.heldAt(line), targets.get(line.number), catalogs.slice(0, 1));
  }
});
counts.reasons = reached.size;
console.log(JSON.stringify({ ...counts, ...bySurface }));
