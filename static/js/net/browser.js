/** A session in the reader's own browser: a worker runs the engine, and the command log stays here. */
import { gettext } from "../model/text.js";

export class BrowserHost {
  /**
   * `place` is where the engine lies; `start` is {scenario, commands, until_us}; `keep(log)` remembers the command log; `make()`
   * makes the worker.
   */
  constructor(place, start, keep, make) {
    this.address = "worker:";
    this.ahead = false;
    const host = this;
    this.Socket = class extends WorkerSocket {
      constructor() {
        super(host);
      }
    };
    this.worker = make();
    this.worker.postMessage({ begin: { place, ...start } });
    this.worker.onmessage = ({ data }) => {
      if (data.told) this.socket?.receive(data.told);
      if (data.kept) keep(JSON.parse(data.kept));
      if (data.failed) this.socket?.receive(JSON.stringify({ t: "notice", level: "error", message: data.failed }));
    };
    /** @type {WorkerSocket?} */
    this.socket = null;
  }

  refusal() {
    return "";
  }

  async record() {
    return { waiting: gettext("This edition keeps the sizes of files only: the bytes of a message are to be seen where a server runs.") };
  }

  async past() {
    return { ok: false, status: 404 };
  }

  get share() {
    return null;
  }
}

/** WebSocket's shape, as far as the transport uses it. */
class WorkerSocket {
  constructor(host) {
    this.host = host;
    this.readyState = 0;
    /** @type {() => void} */
    this.onopen = () => {};
    /** @type {(event: {data: string}) => void} */
    this.onmessage = () => {};
    this.onclose = () => {};
    host.socket = this;
    queueMicrotask(() => {
      if (this.readyState) return;
      this.readyState = 1;
      this.onopen();
    });
  }

  receive(data) {
    if (this.readyState === 1) this.onmessage({ data });
  }

  send(text) {
    this.host.worker.postMessage({ text });
  }

  close() {
    this.readyState = 3;
  }
}
