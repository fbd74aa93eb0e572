/** What happened so far, bounded: samples for the charts, marks for the events, lines for the narrative. */
import { KINDS } from "./catalogue/kinds.js";
import { Events } from "./events.js";
import { LANES, lengthOf, pendingOf } from "./messages.js";
import { Samples } from "./samples.js";
import { total } from "./runs.js";

const MAX_LINES = 300;
const MERGE_US = 1_000_000;

/** What a queue shows of its process: too much for a line. */
const CLOCK = new Set(["queue_process", "rate_timer_at_us", "reported_duration", "desired_duration"]);

export class Timeline {
  constructor() {
    this.clear();
  }

  clear() {
    this.marks = new Events();
    this.sampling = new Samples();
    this.lines = [];
    this.targets = {};
    /** Which queues' targets were set by hand, by name. */
    this.pins = {};
    this.held = 0;
  }

  get samples() {
    return this.sampling.list;
  }

  get events() {
    return this.marks.list;
  }

  /** The last target of a queue, with the memory from which it was made: {row, memory}; null where there is none. */
  lastTarget(queue) {
    return this.targets[queue] ?? null;
  }

  /** Another queue is shown. */
  show(name) {
    this.sampling.show(name);
  }

  /** Note one transition that has just been folded. */
  note(number, atUs, row, state) {
    this.sampling.count(row);
    this.marks.see(number, atUs, row);
    if (row[0] === "TargetChanged") this.target(row, state);
    if (KINDS[row[0]].shown !== "step" && !isQuietNode(row)) this.line(number, atUs, row, state);
  }

  /** A target that comes with no duration was set by hand (Q43). */
  target(row, state) {
    this.targets[row[2]] = { row, memory: { ...state.node.memory } };
    this.pins[row[2]] = row[3] !== null && typeof row[4].duration !== "number";
  }

  /** Look at what a stop is about to end: the start after it tells what was lost. */
  before(row, state) {
    if (row[0] !== "QueueStopped") return;
    const queue = state.queues[row[2]];
    this.held = LANES.reduce((sum, lane) => sum + lengthOf(queue, lane), pendingOf(queue));
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

  /** Take a sample of the state for the charts. */
  sample(atUs, state) {
    this.sampling.take(atUs, state);
  }
}

/** Messages that a row moves, where it moves any. */
export function messagesOf(row) {
  if (row[0] === "Reduced") return movedBy(row[3]);
  return Array.isArray(row[5]) && typeof row[2] === "string" && Array.isArray(row[5][0]) ? total(row[5]) : 0;
}

function isDetail(row) {
  return KINDS[row[0]].shown === "detail" || (row[0] === "Reduced" && !movedBy(row[3]));
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
