/** What happened so far, bounded: samples for the charts, marks for the events, lines for the narrative. */
import { LANES, lengthOf, pendingOf } from "./messages.js";
import { shownQueue } from "./shown.js";
import { total } from "./runs.js";

const MAX_SAMPLES = 720;
const MAX_EVENTS = 160;
const MAX_LINES = 300;
const RATE_WINDOW_US = 1_000_000;
const MERGE_US = 1_000_000;

/** Kinds that never get a line of their own: they are steps of something that does. */
const QUIET = new Set([
  "CountersChanged",
  "EntriesRecorded",
  "StoreWritten",
  "RefCountChanged",
  "RowsForgotten",
  "RowsMoved",
  "CacheChanged",
  "FileLocked",
  "CombineStepped",
  "JournalOpened",
  "DeltaChanged",
]);

/** What a queue shows of its process: too much for a line. */
const CLOCK = new Set(["queue_process", "rate_timer_at_us"]);

/** Kinds that are the housekeeping of files and timers: shown on demand. */
const DETAILS = new Set([
  "BufferWritten",
  "StoreSynced",
  "JournalSynced",
  "JournalFlushed",
  "SegmentWritten",
  "StoreRead",
  "PutBack",
  "ConfirmsDue",
  "ActorChanged",
  "FileUnlinked",
  "OperationDeferred",
  "WriteIgnored",
  "StoreRecovered",
  "StoreStopped",
]);

export class Timeline {
  constructor() {
    this.clear();
  }

  clear() {
    this.samples = [];
    this.events = [];
    this.lines = [];
    this.everyUs = 20_000;
    this.arrived = 0;
    this.left = 0;
    this.lastTarget = null;
    /** Which queues' targets were set by hand, by name. */
    this.pins = {};
    this.held = 0;
    this.alarm = {};
  }

  /** Note one transition that has just been folded. */
  note(number, atUs, row, state) {
    this.count(row);
    this.mark(number, atUs, row);
    if (row[0] === "TargetChanged") this.target(row, state);
    if (!QUIET.has(row[0]) && !isQuietNode(row)) this.line(number, atUs, row, state);
  }

  /** A target that comes with no duration was set by hand (Q43). */
  target(row, state) {
    this.lastTarget = { row, memory: { ...state.node.memory } };
    this.pins[row[2]] = row[3] !== null && typeof row[4].duration !== "number";
  }

  /** Look at what a stop is about to end: the start after it tells what was lost. */
  before(row, state) {
    if (row[0] !== "QueueStopped") return;
    const queue = state.queues[row[2]];
    this.held = LANES.reduce((sum, lane) => sum + lengthOf(queue, lane), pendingOf(queue));
  }

  count([kind, , , , , extents]) {
    if (kind === "Published" || kind === "PublishedDelivered" || kind === "Discarded")
      this.arrived += total(extents);
    if (kind === "Fetched" || kind === "PublishedDelivered" || kind === "Discarded")
      this.left += total(extents);
  }

  line(number, atUs, row) {
    const detail = isDetail(row);
    const at = this.continued(atUs, row);
    if (at >= 0) {
      const [line] = this.lines.splice(at, 1);
      this.lines.push(
        Object.assign(line, {
          number,
          atUs,
          row,
          times: line.times + 1,
          messages: line.messages + messagesOf(row),
        }),
      );
      return;
    }
    const messages = row[0] === "QueueStarted" ? this.lost(row) : messagesOf(row);
    this.lines.push({ number, atUs, row, detail, times: 1, messages, first: number, sinceUs: atUs });
    if (this.lines.length > MAX_LINES) this.lines.splice(0, this.lines.length - MAX_LINES);
  }

  /** How many messages of before the stop are not there any more. */
  lost(row) {
    const lost = Math.max(0, this.held - (row[6].len ?? 0));
    this.held = 0;
    return lost;
  }

  /** Index of a recent line of which this row is more of the same, or -1. */
  continued(atUs, row) {
    for (let at = this.lines.length - 1; at >= Math.max(0, this.lines.length - 12); at -= 1) {
      const line = this.lines[at];
      if (
        line.row[0] === row[0] &&
        line.detail === isDetail(row) &&
        atUs - line.sinceUs < MERGE_US &&
        mergeable(line.row, row)
      )
        return at;
    }
    return -1;
  }

  mark(number, atUs, row) {
    const type = eventOf(row, this);
    if (!type) return;
    const last = this.events[this.events.length - 1];
    if (last && last.type === type && atUs - last.atUs < RATE_WINDOW_US) return;
    this.events.push({ number, atUs, type });
    if (this.events.length > MAX_EVENTS) this.events.shift();
  }

  /** Take a sample of the state for the charts. */
  sample(atUs, state) {
    const last = this.samples[this.samples.length - 1];
    if (last && atUs < last.us) this.samples = this.samples.filter((each) => each.us <= atUs);
    const sample = sampleOf(atUs, state, this);
    if (last && atUs - last.us < this.everyUs && this.samples.length > 1)
      this.samples[this.samples.length - 1] = keepStart(last, sample);
    else this.samples.push(sample);
    if (this.samples.length > MAX_SAMPLES) this.thin();
  }

  thin() {
    this.samples = this.samples.filter((_, at) => at % 2 === 0 || at === this.samples.length - 1);
    this.everyUs *= 2;
  }
}

/** While samples come faster than wanted, the newest one moves but keeps the time at which its slot began. */
function keepStart(last, sample) {
  return { ...sample, us: Math.max(last.us, sample.us) };
}

function sampleOf(us, state, timeline) {
  const queue = state.queues[shownQueue(state)];
  const sample = { us, arrived: timeline.arrived, left: timeline.left, pending: pendingOf(queue) };
  for (const lane of LANES) sample[lane] = lengthOf(queue, lane);
  const memory = state.node.memory;
  sample.memory = memory.process_memory ?? 0;
  sample.limit = memory.limit ?? null;
  sample.paging = memory.paging_at ?? null;
  sample.alarm = Boolean(state.node.alarms.memory);
  return sample;
}

/** Messages that a row moves, where it moves any. */
export function messagesOf(row) {
  if (row[0] === "Reduced") return movedBy(row[3]);
  return Array.isArray(row[5]) && typeof row[2] === "string" && Array.isArray(row[5][0]) ? total(row[5]) : 0;
}

function isDetail(row) {
  return DETAILS.has(row[0]) || (row[0] === "Reduced" && !movedBy(row[3]));
}

/** How many messages a reduction moved in all its steps. */
export function movedBy(why) {
  return (why.q1_moved || 0) + (why.q4_moved || 0) + (why.pending_paged || 0) + (why.betas_moved || 0);
}

/** Two rows of a kind are one line when they do the same in the same place. */
function mergeable(last, row) {
  if (row[0] === "Reduced") return last[2] === row[2];
  return (
    last[2] === row[2] &&
    (messagesOf(row) === 0
      ? typeof row[3] !== "string" || last[3] === row[3]
      : last[3] === row[3] && last[4] === row[4])
  );
}

/** Numbers of the node that tick all the time are charts, not events. */
function isQuietNode(row) {
  if (row[0] === "NodeChanged") return row[2] === "memory" || row[2] === "clock" || row[2] === "disk";
  if (row[0] === "ActorChanged") return row[3] !== null && !("state" in row[3]) && !("running" in row[3]);
  if (row[0] === "ProcessChanged") return !row[3]?.state || "kind" in row[3];
  if (row[0] === "QueueChanged") return Object.keys(row[3]).every((name) => CLOCK.has(name));
  return false;
}

const EVENT_OF = {
  BetasPushed: "delta",
  DeltaRead: "read",
  CombineStarted: "gc",
  FileRolledOver: "roll",
  QueueStopped: "stop",
  QueueStarted: "start",
};

function eventOf(row, timeline) {
  if (row[0] === "AlphasPushed") return "paging";
  if (row[0] === "NodeChanged" && row[2] === "alarms") {
    const before = timeline.alarm;
    timeline.alarm = { ...before, ...row[3] };
    if (row[3].memory && !before.memory) return "memory";
    if (row[3].disk && !before.disk) return "disk";
    return null;
  }
  return EVENT_OF[row[0]] || null;
}
