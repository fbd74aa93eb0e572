/** Where the messages of a queue can lie.
 *
 * Written by `python -m tools.catalogue` from engine/backing_queue/places: change that, not this file. */

/** The backing queue of a queue whose settings name no other. */
export const USUAL = "variable_queue";

/** How long a store waits for more before it syncs (K6). */
export const STORE_SYNC_MS = 25;

/**
 * The places of each, from the tail to the head; then those of unacknowledged messages.
 * @type {Record<string, import("./types.js").MessagePlace[]>}
 */
export const PLACES = {
  variable_queue: [
    { name: "q1", content: "ram", unacked: false, counted: false, limits: "contents", letter: "alpha", lazy: false },
    { name: "q2", content: "mixed", unacked: false, counted: false, limits: "entries", letter: "beta", lazy: false },
    { name: "delta", content: "disk", unacked: false, counted: true, limits: "", letter: "delta", lazy: true },
    { name: "q3", content: "mixed", unacked: false, counted: false, limits: "entries", letter: "gamma", lazy: true },
    { name: "q4", content: "ram", unacked: false, counted: false, limits: "contents", letter: "alpha", lazy: false },
    { name: "ram_pending", content: "ram", unacked: true, counted: false, limits: "", letter: "", lazy: true },
    { name: "disk_pending", content: "disk", unacked: true, counted: false, limits: "", letter: "", lazy: true },
    { name: "index_pending", content: "ram", unacked: true, counted: false, limits: "", letter: "", lazy: true },
  ],
  classic_v2: [
    { name: "tail", content: "disk", unacked: false, counted: true, limits: "", letter: "delta", lazy: true },
    { name: "head", content: "mixed", unacked: false, counted: false, limits: "contents", letter: "alpha", lazy: true },
    { name: "ram_pending", content: "ram", unacked: true, counted: false, limits: "", letter: "", lazy: true },
    { name: "disk_pending", content: "disk", unacked: true, counted: false, limits: "", letter: "", lazy: true },
  ],
  priority_queue: [
  ],
  variable_queue_v2: [
    { name: "q1", content: "ram", unacked: false, counted: false, limits: "contents", letter: "alpha", lazy: false },
    { name: "q2", content: "mixed", unacked: false, counted: false, limits: "entries", letter: "beta", lazy: false },
    { name: "delta", content: "disk", unacked: false, counted: true, limits: "", letter: "delta", lazy: true },
    { name: "q3", content: "mixed", unacked: false, counted: false, limits: "entries", letter: "gamma", lazy: true },
    { name: "q4", content: "ram", unacked: false, counted: false, limits: "contents", letter: "alpha", lazy: false },
    { name: "ram_pending", content: "ram", unacked: true, counted: false, limits: "", letter: "", lazy: true },
    { name: "disk_pending", content: "disk", unacked: true, counted: false, limits: "", letter: "", lazy: true },
    { name: "index_pending", content: "ram", unacked: true, counted: false, limits: "", letter: "", lazy: true },
  ],
};

/**
 * What releases have no more, each with the rule that says so, by their series.
 * @type {Record<string, Record<string, string>>}
 */
export const GONE = {
  "4.0": { mirrors: "W75", queue_mode: "W39", paging: "W70", target_ram_count: "W70" },
  "4.3": { mirrors: "W75", queue_mode: "W39", paging: "W70", target_ram_count: "W70" },
};
