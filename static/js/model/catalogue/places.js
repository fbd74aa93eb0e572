/** Where the messages of a queue can lie.
 *
 * Written by `manage.py catalogue` from engine/backing_queue/places: change that, not this file. */

/** The backing queue of a queue that tells no other. */
export const USUAL = "variable_queue";

/** The places of each, from the tail to the head; then those of unacknowledged messages. */
export const PLACES = {
  variable_queue: [
    { name: "q1", content: "ram", unacked: false, counted: false },
    { name: "q2", content: "mixed", unacked: false, counted: false },
    { name: "delta", content: "disk", unacked: false, counted: true },
    { name: "q3", content: "mixed", unacked: false, counted: false },
    { name: "q4", content: "ram", unacked: false, counted: false },
    { name: "ram_pending", content: "ram", unacked: true, counted: false },
    { name: "disk_pending", content: "disk", unacked: true, counted: false },
    { name: "index_pending", content: "ram", unacked: true, counted: false },
  ],
  priority_queue: [
  ],
};
