/**
 * A session on the server: the address of its socket, and the requests beside it.
 *
 * Each kind of host has this shape: `address` and `Socket` for the transport, `record(question, signal)` for bytes of files,
 * `past(address)` for what was before the page came, `share()` for links, `ahead`: whether a time that is still to come can be gone to at once, and `refusal()`: why nothing can
 * be changed, or nothing.
 */

import { socketAddress } from "./transport.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { SocketClass } from "./transport.js"
 */

/** @typedef {Values & { address: string, Socket: SocketClass, ahead: boolean, refusal: () => string }} Host where a session is played, as described above */

export class Server {
  /**
   * `data` is what the page got: {websocket, urls}; `token()` gives what lets a form be sent.
   * @param {Values} given
   */
  constructor({ websocket, urls }, token = () => "") {
    this.address = socketAddress(websocket);
    this.Socket = globalThis.WebSocket;
    this.urls = urls;
    this.token = token;
    this.ahead = false;
  }

  refusal() {
    return "";
  }

  /**
   * Request a record of the session's real files; gives the server's answer, or {error}.
   * @param {Values} question
   * @param {AbortSignal} signal
   */
  async record(question, signal) {
    const answer = await fetch(`${this.urls.record}?${new URLSearchParams(question)}`, {
      headers: { accept: "application/json" },
      signal,
    });
    const body = await answer.json();
    return answer.ok ? body : { error: body.error || String(answer.status) };
  }

  /**
   * Request what happened before the page came.
   * @param {string} address
   */
  past(address) {
    return fetch(address, { headers: { accept: "application/json" } });
  }

  /** Keep the run up to now; gives {url, stateless, embed}. */
  async share() {
    const headers = { "X-CSRFToken": this.token(), Accept: "application/json" };
    const answer = await fetch(this.urls.share, { method: "POST", headers });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }
}
