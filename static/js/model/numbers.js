/**
 * Which message has which number: of each queue, runs of seq_ids with the numbers of their bodies. The state drops
 * the numbers of messages that move into a counted lane; a page that followed the move still has them.
 */
import { holding, insert, overlapping, remove } from "./stretches.js";

/**
 * @import { AnyTransition, Extent, RunSnapshot } from "./catalogue/types.js"
 * @import { Shape } from "./stretches.js"
 */

export const MAX_RUNS = 4000;

/** @typedef {[start: number, count: number, msgNo: number]} Run */

/**
 * How runs split and merge.
 * @type {Shape<Run>}
 */
const NUMBERS = {
  part: (row, offset, count) => [row[0] + offset, count, row[2] + offset],
  continues: (row, after) => row[2] + row[1] === after[2],
};

const KINDS = new Set(["Published", "PublishedDelivered", "DeltaRead"]);

export class Numbers {
  constructor() {
    /** @type {Map<string, Run[]>} */
    this.queues = new Map();
  }

  clear() {
    this.queues.clear();
  }

  /**
   * Keep the numbers of a transition's messages.
   * @param {AnyTransition} t
   */
  observe({ kind, queue, extents }) {
    if (!KINDS.has(kind) || queue === undefined) return;
    for (const extent of extents ?? []) this.put(queue, extent);
  }

  /**
   * Keep the numbers of everything outside counted lanes in a whole state.
   * @param {RunSnapshot} state
   */
  take(state) {
    for (const [name, queue] of Object.entries(state.queues))
      for (const rows of Object.values(queue.lanes)) for (const row of rows) this.put(name, row);
  }

  /**
   * @param {string} name
   * @param {Extent | Run} row
   */
  put(name, [start, count, msgNo]) {
    const runs = this.queues.get(name) ?? [];
    this.queues.set(name, runs);
    remove(runs, start, count, NUMBERS);
    insert(runs, [start, count, msgNo], NUMBERS);
    if (runs.length > MAX_RUNS) runs.splice(0, runs.length - MAX_RUNS);
  }

  /**
   * The number of a message's body, or null where this page never received it.
   * @param {string} queue
   * @param {number} seq
   */
  numberOf(queue, seq) {
    const run = holding(this.queues.get(queue) || [], seq);
    return run && run[2] + seq - run[0];
  }

  /**
   * The newest seq_id of a queue that has this body, or null.
   * @param {string} queue
   * @param {number} msgNo
   */
  seqOf(queue, msgNo) {
    const run = (this.queues.get(queue) || []).findLast(
      ([, count, first]) => msgNo >= first && msgNo < first + count,
    );
    return run ? run[0] + msgNo - run[2] : null;
  }

  /**
   * The numbers of a stretch of seq_ids, as far as they are known: [[msg_no, count], ...].
   * @param {string} queue
   * @param {number} start
   * @param {number} count
   * @returns {[msgNo: number, count: number][]}
   */
  spansOf(queue, start, count) {
    return overlapping(this.queues.get(queue) || [], start, count, NUMBERS).map((run) => [run[2], run[1]]);
  }
}
