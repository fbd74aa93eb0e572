/** The socket of a class: one way, from the server; it comes back by itself. */

/** @import { Student } from "./grid.js" */

/** @typedef {"connecting" | "live" | "lost" | "ended"} LinkStatus */

/**
 * What the server sends to a teacher and a student (playground/classroom/selectors.py). The results of a vote give for each answer how many
 * chose it, and which share, in the first round and in the second.
 * @typedef {{ id: number, stage: string }} VoteNow
 * @typedef {VoteNow & { votes: number, missing: string[], results: Record<string, [number, number, number, number]>, recommended: string }} VoteOfTeacher
 * @typedef {{ exercise: string, tried: number, failed: number, answers: [tally: string, count: number, passed: boolean][] }} Hardest
 * @typedef {{ t: "grid", whole: boolean, changed: Student[], gone: number[], ended: boolean, joining: boolean, vote: VoteOfTeacher | null, finished_test: number | null, hardest: Hardest | null }} GridMessage
 * @typedef {{ at: string, id: string, by: string, at_us: number | null }} Pushed a state that the teacher gives to everybody
 * @typedef {{ t: "class", frozen: boolean, ended: boolean, handed: string[], push: Pushed | null, vote: VoteNow | null }} ClassMessage
 */

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 15000;
/** Not this person's class, or it is gone: trying again is of no use. */
const FINAL_CODES = new Set([4003, 4004, 4010]);

/**
 * Follow a class.
 * @template {GridMessage | ClassMessage} M
 * @param {string} path of the socket
 * @param {(message: M) => void} receive gets each message
 * @param {(name: LinkStatus) => void} status
 */
export function follow(path, receive, status = () => {}) {
  let retryMs = FIRST_RETRY_MS;
  let closed = false;
  /** @type {WebSocket | null} */
  let socket = null;
  const connect = () => {
    status("connecting");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${path}`);
    socket.onopen = () => {
      retryMs = FIRST_RETRY_MS;
      status("live");
    };
    socket.onmessage = (event) => receive(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (closed) return;
      if (FINAL_CODES.has(event.code)) {
        status("ended");
        return;
      }
      status("lost");
      setTimeout(connect, retryMs * (0.5 + Math.random()));
      retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
    };
  };
  addEventListener("pagehide", () => {
    closed = true;
    socket?.close();
  });
  connect();
}
