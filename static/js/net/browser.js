/** A session in the reader's own browser: a worker runs the engine, and the command log stays here. */
import { fill, gettext, messageOf } from "../model/text.js";
import { OpeningRun } from "./opening-run.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { BrowserApp } from "./browser-app.js"
 * @import { Opening } from "./opening-run.js"
 */

/**
 * Which goals of an exercise hold now, and what is left of its budget; undefined where that is not known.
 * @typedef {{ goals?: Record<string, boolean>, commands_left?: number, messages_left?: number }} Standing
 */

export class BrowserHost {
  /**
   * `place` is where the engine lies; `start` is {scenario, commands, until_us}, and an `opening` that is played until the engine has
   * loaded, if there is one; `keep(log)` remembers the command log; `make()` makes the worker. A page of the static edition has an `app` (net/browser-app.js) in it, and `linkOf(packed)` is the address of a run
   * that a link carries.
   * @param {string} place
   * @param {Values} start
   * @param {(log: Values) => void} keep
   * @param {() => Worker} make
   * @param {BrowserApp | null} app
   * @param {((packed: string) => string) | null} linkOf
   */
  constructor(place, start, keep, make, app = null, linkOf = null) {
    this.address = "worker:";
    this.ahead = false;
    this.app = app;
    this.linkOf = linkOf;
    this.place = place;
    this.keep = keep;
    /** @type {(() => Promise<Standing>)?} how the goals of an exercise stand */
    this.standing = null;
    const host = this;
    this.Socket = class extends WorkerSocket {
      constructor() {
        super(host);
      }
    };
    this.runs = 0;
    this.worker = make();
    this.worker.addEventListener("message", (/** @type {MessageEvent} */ { data }) => {
      if (data.run === this.runs) this.receive(data);
    });
    /** @type {WorkerSocket?} */
    this.socket = null;
    /** @type {Map<number, (record: Values) => void>} takers of records, by the question's number */
    this.waiting = new Map();
    this.questions = 0;
    /** @type {OpeningRun?} what is played until the engine has loaded */
    this.opening = null;
    const { opening, ...run } = start;
    /** @type {Promise<void>} settled when the engine has the run */
    this.ready = opening ? this.open(opening, run) : Promise.resolve(this.begin(run));
  }

  /**
   * Play how the run begins, as it was recorded; when Python runs the engine goes on from there.
   * @param {Opening} opening
   * @param {Values} start
   * @returns {Promise<void>}
   */
  open(opening, start) {
    this.opening = new OpeningRun(opening, start.scenario.until_us);
    this.take(start);
    this.worker.postMessage({ prepare: this.place });
    return new Promise((done) => {
      this.worker.addEventListener("message", ({ data }) => {
        if (!data.prepared) return;
        if (this.opening) this.goOn(start);
        done();
      });
    });
  }

  /**
   * Python runs: its engine has the run from here on.
   * @param {Values} start
   */
  goOn(start) {
    this.opening = null;
    this.play({ ...start, until_us: Math.max(start.until_us, this.socket?.recorded?.nowUs ?? 0) });
    this.socket?.goOn();
  }

  /** @param {Values} start */
  take(start) {
    this.scenario = start.scenario;
    this.log = { commands: start.commands, until_us: start.until_us };
  }

  /**
   * Let the worker play this run instead of the one before, whose late messages are ignored.
   * @param {Values} start
   */
  begin(start) {
    this.opening = null;
    this.play(start);
    this.socket?.end();
  }

  /** @param {Values} start */
  play(start) {
    this.runs += 1;
    this.take(start);
    this.worker.postMessage({ begin: { run: this.runs, place: this.place, lang: this.app?.lang, ...start } });
  }

  /** @param {Values} data */
  receive(data) {
    if (data.message) this.pass(data.message);
    if (data.kept) {
      this.log = JSON.parse(data.kept);
      this.keep(this.log);
    }
    if (data.failed) this.socket?.receive(JSON.stringify({ t: "notice", level: "error", message: data.failed }));
  }

  /**
   * Messages of the session go to the page; a record goes to the caller who requested it.
   * @param {string} text
   */
  pass(text) {
    const message = this.waiting.size && text.startsWith('{"t":"record"') ? JSON.parse(text) : null;
    if (!message) {
      this.socket?.receive(text);
      return;
    }
    this.waiting.get(message.id)?.(message.record);
    this.waiting.delete(message.id);
  }

  refusal() {
    return this.opening?.refusal() ?? "";
  }

  /**
   * A record as the files have it now, or had it: for a moment that has passed the app repeats the run.
   * @param {Values} given
   */
  async record({ at, ...question }) {
    if (at !== undefined) return this.pastRecord(at, question);
    if (this.opening) await this.ready;
    this.questions += 1;
    const id = this.questions;
    /** @type {Values} */
    const record = await new Promise((done) => {
      this.waiting.set(id, done);
      this.worker.postMessage({ text: JSON.stringify({ t: "record", id, question }) });
    });
    return record.fields ? record : { waiting: missing(record, question) };
  }

  /**
   * @param {number} at
   * @param {Values} question
   * @returns {Promise<Values>}
   */
  async pastRecord(at, question) {
    if (!this.app) return { waiting: gettext("Only a server can show the bytes of a past moment. Go to the present to see the current ones.") };
    try {
      return await this.app.request("record", { ...question, number: Number(at), scenario: this.scenario, commands: this.log.commands });
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async past() {
    return { ok: false, status: 404 };
  }

  /** What makes a link that carries the run so far; nothing where there is no page that opens it. */
  get share() {
    const { app, linkOf } = this;
    return app && linkOf ? () => this.linked(app, linkOf) : null;
  }

  /**
   * @param {BrowserApp} app
   * @param {(packed: string) => string} linkOf
   */
  async linked(app, linkOf) {
    const { commands, until_us: until } = this.log;
    const given = commands.map((/** @type {[at: number, command: Values]} */ [at, command]) => ({ at_us: at, ...command }));
    const scripted = this.scenario.commands.filter((/** @type {{ at_us: number }} */ each) => each.at_us <= until);
    const whole = given.length || until > this.scenario.until_us;
    const run = whole
      ? { ...this.scenario, commands: [...scripted, ...given].sort((a, b) => a.at_us - b.at_us), until_us: until, digest: null }
      : this.scenario;
    const { packed } = await app.request("share", { scenario: run });
    if (!packed) throw new Error(gettext("This run is too long for a link."));
    const url = linkOf(packed);
    return { url, stateless: url, embed: url };
  }
}

/**
 * Why there is no record.
 * @param {Values} given
 */
function missing({ reason, size }, { file = "" }) {
  if (reason === "absent") return gettext("The index files have no record of this message: it waits in a write buffer, or only RAM knows it.");
  if (reason === "no_record") return gettext("No record begins there now: the file has changed. Choose the message again.");
  if (reason !== "waiting") return gettext("There is no such file now: it has not been made yet, or it was deleted.");
  if (/^(persistent|transient):/.test(file)) return fill(gettext("These bytes are still in the 1 MiB write buffer: the file ends at %(size)s."), { size });
  if (/^(journal$|segment:)/.test(file)) return fill(gettext("These bytes are still in the journal's buffer: the file ends at %(size)s."), { size });
  return fill(gettext("These bytes are still in a write buffer: the file ends at %(size)s."), { size });
}

/** WebSocket's shape, as far as the transport uses it. */
class WorkerSocket {
  /** @param {BrowserHost} host */
  constructor(host) {
    this.host = host;
    this.readyState = 0;
    /** @type {InstanceType<OpeningRun["Socket"]>?} what answers until the engine has loaded */
    this.recorded = host.opening ? new host.opening.Socket() : null;
    if (this.recorded) this.recorded.onmessage = ({ data }) => this.receive(data);
    /** @type {() => void} */
    this.onopen = () => {};
    /** @type {(event: {data: string}) => void} */
    this.onmessage = () => {};
    /** @type {(event?: {code: number}) => void} */
    this.onclose = () => {};
    host.socket = this;
    queueMicrotask(() => {
      if (this.readyState) return;
      this.readyState = 1;
      this.onopen();
      const { until_us: until } = host.log;
      if (until) this.recorded?.send(JSON.stringify({ t: "control", play: true, until_us: until, at_once: true }));
    });
  }

  /** Whether what the page sees was recorded. */
  get opening() {
    return this.recorded !== null;
  }

  /** From now on the engine answers: it sends what comes after what the page has, and goes on as was requested. */
  goOn() {
    if (!this.recorded) return;
    const { owed, speed } = this.recorded;
    this.recorded.close();
    this.recorded = null;
    this.onopen();
    if (owed || speed !== 1) this.send(JSON.stringify({ t: "control", ...owed, speed }));
  }

  /** @param {string} data */
  receive(data) {
    if (this.readyState === 1) this.onmessage({ data });
  }

  /** @param {string} text */
  send(text) {
    if (this.recorded) this.recorded.send(text);
    else this.host.worker.postMessage({ text });
  }

  close() {
    this.readyState = 3;
    this.recorded?.close();
  }

  /** The run is over: the transport connects again, and receives another run. */
  end() {
    if (this.readyState === 3) return;
    this.close();
    this.onclose();
  }
}
