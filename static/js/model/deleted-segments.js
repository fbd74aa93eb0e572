/** Segment files that are gone: the state says nothing of them. */

/** @import { AnyTransition } from "./catalogue/types.js" */

const MOST_DELETED = 4000;

/** Which segment files were deleted so far: many segments never had a file, so the state alone does not show it. */
export class Deleted {
  constructor() {
    /** @type {Record<string, [segment: number, number: number][]>} */
    this.queues = {};
  }

  clear() {
    this.queues = {};
  }

  /**
   * Count the deleted files of transition `number`.
   * @param {AnyTransition} t
   * @param {number} number
   */
  observe({ kind, queue, segment, bytes }, number) {
    if (kind !== "SegmentDeleted" || !bytes || queue === undefined || segment === undefined) return;
    const list = (this.queues[queue] ??= []);
    list.push([segment, number]);
    if (list.length > MOST_DELETED) list.shift();
  }

  /**
   * {count, first, last} of a queue's segments that were deleted before a position.
   * @param {string} queue
   * @param {number} position
   */
  before(queue, position) {
    const gone = (this.queues[queue] ?? []).filter(([, number]) => number < position).map(([segment]) => segment);
    if (!gone.length) return { count: 0, first: null, last: null };
    const all = new Set(gone);
    return { count: all.size, first: Math.min(...all), last: Math.max(...all) };
  }
}
