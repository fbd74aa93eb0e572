/** The socket of a class: one way, from the server; it comes back by itself. */

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 15000;
/** Not this person's class, or it is gone: trying again is of no use. */
const FINAL_CODES = new Set([4003, 4004, 4010]);

/**
 * Follow a class.
 * @param {string} path of the socket
 * @param {(message: any) => void} told gets each message
 * @param {(name: "connecting" | "live" | "lost" | "ended") => void} status
 */
export function follow(path, told, status = () => {}) {
  let retryMs = FIRST_RETRY_MS;
  let closed = false;
  let socket = null;
  const connect = () => {
    status("connecting");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${path}`);
    socket.onopen = () => {
      retryMs = FIRST_RETRY_MS;
      status("live");
    };
    socket.onmessage = (event) => told(JSON.parse(event.data));
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
