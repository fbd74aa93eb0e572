/** A small stand-in for the engine: rows and states that look like its own, for the tests of the page's modules. */
import "../../static/js/generations/all.js";
import { emptyState, reduce } from "../../static/js/model/reduce.js";
import { Session } from "../../static/js/model/session.js";

const SETTINGS = {
  segment_entry_count: 8,
  msg_store_file_size_limit: 65536,
  ram_bytes: 1048576,
  vm_memory_high_watermark: 0.4,
  vm_memory_high_watermark_paging_ratio: 0.5,
};

/** Flags of messages whose body belongs to the store. */
export const TRANSIENT = 18;
export const PERSISTENT = 93 | 2;
export const BETA = 20;
export const GAMMA = 93;

/** One run of messages. */
export const extent = (start, count, flags, size = 6144) => [start, count, start, size, flags, 0, 0];

export const started = [
  ["NodeChanged", "M8", "settings", SETTINGS, {}],
  ["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], { len: 0, target_ram_count: null }],
];

/** The rows of a publish. */
export function published(start, count, { to = "q4", flags = TRANSIENT, size = 6144 } = {}) {
  return [["Published", "Q21", "orders", null, to, [extent(start, count, flags, size)], null, { q3_len: 0 }]];
}

/** The rows of a reduction that leaves `keep` alphas in q4 and one segment in q3. */
export function paged(start, count, keep) {
  const out = [extent(start + keep, count - keep, BETA)];
  const rows = [
    ["TargetChanged", "Q43", "orders", keep, { duration: 2, rates: keep / 2, old: null }],
    ["AlphasPushed", "Q46", "orders", "q4", "q3", out, null, { target: keep }],
  ];
  const boundary = Math.ceil((start + keep + 1) / 8) * 8;
  const beyond = start + count - boundary;
  if (beyond > 0) {
    const delta = [boundary, beyond, beyond, start + count];
    rows.push(["EntriesRecorded", "S74", "orders", "publish_deliver", boundary, beyond, 36 * beyond]);
    rows.push(["BetasPushed", "Q49", "orders", "q3", "delta", [extent(boundary, beyond, 28)], delta, {}]);
  }
  rows.push([
    "Reduced",
    "Q45",
    "orders",
    {
      ram_msg_count: count,
      ram_pending: 0,
      target: keep,
      surplus: count - keep,
      quota: count - keep,
      order: "alphas_first",
      q1_moved: 0,
      q4_moved: count - keep,
      pending_paged: 0,
      betas: count - keep,
      permitted: 8,
      beta_surplus: Math.max(0, beyond),
      io_batch_size: 1,
      betas_moved: Math.max(0, beyond),
      blocked: false,
      bump: false,
    },
  ]);
  return rows;
}

/** The state after some batches of rows. */
export function stateOf(...batches) {
  return reduce(emptyState(), [...started, ...batches.flat()]);
}

/** A session that has just joined a run in its beginning. */
export function live() {
  const session = new Session();
  session.snapshot({ next: 0, at_us: 0, state: stateOf(), digest: "", why: "join" });
  return session;
}

/** Hand a frame of rows to a session. */
export function feed(session, rows, us, play = true) {
  const at_us = rows.map(() => us);
  session.frame({ first: session.next, rows, at_us, now_us: us, digest: `${session.next}`, play, speed: 1 });
}
