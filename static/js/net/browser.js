/** A session in the reader's own browser: a worker runs the engine, and the command log stays here. */
import { fill, gettext } from "../model/text.js";

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
      if (data.told) this.hear(data.told);
      if (data.kept) keep(JSON.parse(data.kept));
      if (data.failed) this.socket?.receive(JSON.stringify({ t: "notice", level: "error", message: data.failed }));
    };
    /** @type {WorkerSocket?} */
    this.socket = null;
    /** Who waits for a record: [(told) => void], by the question's number. */
    this.asked = new Map();
    this.questions = 0;
  }

  /** What the session says goes to the page; a record goes to who asked for it. */
  hear(text) {
    const message = this.asked.size && text.startsWith('{"t":"record"') ? JSON.parse(text) : null;
    if (!message) {
      this.socket?.receive(text);
      return;
    }
    this.asked.get(message.id)?.(message.told);
    this.asked.delete(message.id);
  }

  refusal() {
    return "";
  }

  /** A record as the files have it now. Those of other moments are nowhere. */
  async record({ at, ...question }) {
    if (at !== undefined) return { waiting: gettext("The bytes of a moment that has passed are to be seen where a server runs. Go to the present for those of now.") };
    this.questions += 1;
    const id = this.questions;
    const told = await new Promise((done) => {
      this.asked.set(id, done);
      this.worker.postMessage({ text: JSON.stringify({ t: "record", id, question }) });
    });
    return told.fields ? told : { waiting: missing(told, question) };
  }

  async past() {
    return { ok: false, status: 404 };
  }

  get share() {
    return null;
  }
}

/** Why there is no record. */
function missing({ reason, size }, { file = "" }) {
  if (reason === "absent") return gettext("The index files have no record of this message: it waits in the journal's buffer, or only RAM knows it.");
  if (reason === "no_record") return gettext("No record begins there now: the file has changed. Choose the message again.");
  if (reason !== "waiting") return gettext("There is no such file now: it is not made yet, or it was deleted.");
  const inStore = /^(persistent|transient):/.test(file);
  const text = inStore ? gettext("These bytes are still in the 1 MiB write buffer: the file ends at %(size)s.") : gettext("These bytes are still in the journal's buffer: the file ends at %(size)s.");
  return fill(text, { size });
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
