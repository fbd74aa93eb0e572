/**
 * The readers of files that are given to be inspected: a worker in this browser, or the server. Both have one shape: `ready()`,
 * `directory([[path, file]])`, `listing(text)`, `topology(file)` resolve with the answer (playground/inspecting/reading.py); `stop()` ends it;
 * `own`: whether nothing leaves this machine, and `records` and `bytes` can be requested.
 */
import { gettext } from "../model/text.js";
import { BrowserHost } from "./browser.js";
import { Questions } from "./questions.js";
import { Recording } from "./recording.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { FilesAnswer, ListingAnswer, ManyVhosts, Progress, SettingsAnswer, TopologyAnswer } from "../model/inspect-words.js"
 */

/**
 * The records of a file from an offset on, and where more of them begin; the bytes of one, with its fields.
 * @typedef {[offset: number, size: number, kind: string, entry: number | null]} RecordAt
 * @typedef {{ records: RecordAt[], next: number | null }} Records
 * @typedef {{ hex: string, fields: [offset: number, length: number, name: string, value: string][] }} RecordBytes
 */

/** @typedef {[name: string, value: string | Blob, file?: string]} Field of a form */

/**
 * What is wanted of files (playground/inspecting/uploads.py): the directory of a virtual host, a release that starts on them; the
 * profile and the entries of a segment of the session that wrote them.
 * @typedef {{ vhost?: string, target?: string, stopped?: boolean, profile?: string, entries?: number | null, day?: number }} Choice
 */

/** @typedef {ListingAnswer | SettingsAnswer | TopologyAnswer} TextAnswer to a pasted text, by what it is */

/** @typedef {(progress: Progress) => void} OnStep is called whenever reading has got further */

/** @typedef {OwnReader | ServerReader} Reader of files, as described above */

/** The files cannot be read: `code` and `values` as playground/inspecting/uploads.py has them. */
export class Unreadable extends Error {
  /**
   * @param {string} code
   * @param {Values} [values]
   */
  constructor(code, values = {}) {
    super(code);
    this.code = code;
    this.values = values;
  }
}

/**
 * @template A
 * @param {A & { unreadable?: string, values?: Values }} answer
 * @returns {A}
 */
function read(answer) {
  if (answer.unreadable) throw new Unreadable(answer.unreadable, answer.values);
  return answer;
}

export class OwnReader {
  /**
   * `worker` runs static/js/wasm/worker.js; `place` is where the engine lies.
   * @param {Worker} worker
   * @param {string} place
   */
  constructor(worker, place) {
    /** @type {true} */
    this.own = true;
    this.stopped = false;
    this.worker = worker;
    this.place = place;
    this.questions = new Questions(worker, place, "given");
  }

  /**
   * @template A
   * @param {string} name
   * @param {...unknown} args
   * @returns {Promise<A>}
   */
  request(name, ...args) {
    return this.questions.request(name, ...args);
  }

  /** Resolves with the engine's version when it runs. */
  ready() {
    return this.request("");
  }

  /**
   * @param {[path: string, file: Blob][]} entries
   * @param {Choice} choice
   * @param {OnStep} onStep
   * @returns {Promise<FilesAnswer | ManyVhosts>}
   */
  async directory(entries, choice, onStep) {
    const paths = JSON.stringify(entries.map(([path]) => path));
    const sizes = JSON.stringify(entries.map(([, file]) => file.size));
    const needed = read(/** @type {number[] & Values} */ (await this.request("needed", paths, sizes)));
    const chosen = needed.map((at) => entries[at]);
    const contents = await Promise.all(chosen.map(([, file]) => file.arrayBuffer()));
    this.questions.onStep = (progress) => onStep(/** @type {Progress} */ (progress));
    return read(await this.request("directory", JSON.stringify(chosen.map(([path]) => path)), contents, JSON.stringify(choice)));
  }

  /** End the worker with all that it has; another one has to begin. */
  stop() {
    this.stopped = true;
    this.worker.terminate();
    this.questions.fail(gettext("Reading was stopped."));
  }

  /**
   * @param {string} text
   * @returns {Promise<TextAnswer>}
   */
  async listing(text) {
    return read(await this.request("listing", text));
  }

  /**
   * @param {Blob} file
   * @returns {Promise<TopologyAnswer>}
   */
  async topology(file) {
    return read(await this.request("topology", await file.arrayBuffer()));
  }

  /**
   * @param {string} path
   * @param {number} offset
   * @returns {Promise<Records>}
   */
  async records(path, offset) {
    return read(await this.request("records", path, offset));
  }

  /**
   * @param {string} path
   * @param {number} offset
   * @param {number} count
   * @returns {Promise<RecordBytes>}
   */
  async bytes(path, offset, count) {
    return read(await this.request("bytes_at", path, offset, count));
  }

  /**
   * The session that goes on from the start on the files; it is played from just before the start.
   * @param {Values} given
   */
  start({ power_cut_us: cutUs }) {
    return this.host(null, cutUs - 1);
  }

  /**
   * A session in a scenario; without one on the files.
   * @param {Values | null} scenario
   * @param {number} untilUs
   */
  host(scenario, untilUs) {
    return new BrowserHost(this.place, { scenario, commands: [], until_us: untilUs }, () => {}, () => this.worker);
  }
}

/**
 * The last line of an answer, as JSON; those before it are steps.
 * @param {Response} answer
 * @param {OnStep} onStep
 * @returns {Promise<Values>}
 */
async function lastLine(answer, onStep) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  /** @type {string[]} */
  let line = [];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
    if (done) break;
    const [first, ...others] = value.split("\n");
    line.push(first);
    for (const next of others) {
      const { progress } = parsed(line.join(""));
      if (progress) onStep(progress);
      line = [next];
    }
  }
  return parsed(line.join(""));
}

/**
 * @param {string} text
 * @returns {Values}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export class ServerReader {
  /**
   * `address` takes what is sent; `token()` gives what lets a form be sent.
   * @param {string} address
   * @param {() => string} token
   */
  constructor(address, token) {
    /** @type {false} */
    this.own = false;
    this.address = address;
    this.token = token;
    this.leaving = new AbortController();
  }

  async ready() {
    return "";
  }

  /**
   * @template A
   * @param {Field[]} fields
   * @param {OnStep} [onStep]
   * @returns {Promise<A>}
   */
  async send(fields, onStep = () => {}) {
    const body = new FormData();
    for (const [name, value, path] of fields)
      if (typeof value === "string") body.append(name, value);
      else body.append(name, value, path);
    this.leaving = new AbortController();
    const answer = await fetch(this.address, { method: "POST", body, signal: this.leaving.signal, headers: { "X-CSRFToken": this.token(), accept: "application/json" } });
    const report = /** @type {A & Values} */ (await lastLine(answer, onStep));
    if (report.unreadable || answer.ok) return read(report);
    throw new Error(report.error || gettext("The server did not answer as it should. Try again."));
  }

  /**
   * @param {[path: string, file: Blob][]} entries
   * @param {Choice} choice
   * @param {OnStep} onStep
   * @returns {Promise<FilesAnswer | ManyVhosts>}
   */
  directory(entries, choice, onStep) {
    /** @type {Field[]} */
    const files = entries.map(([path, file]) => ["files", file, path.split("/").pop() ?? ""]);
    return this.send([["agreed", "1"], ["choice", JSON.stringify(choice)], ["paths", JSON.stringify(entries.map(([path]) => path))], ...files], onStep);
  }

  /** Leave: the server's process ends with the request. */
  stop() {
    this.leaving.abort(new Error(gettext("Reading was stopped.")));
  }

  /**
   * @param {string} text
   * @returns {Promise<TextAnswer>}
   */
  listing(text) {
    return this.send([["figures", text]]);
  }

  /**
   * @param {Blob} file
   * @returns {Promise<TopologyAnswer>}
   */
  topology(file) {
    return this.send([["definitions", file]]);
  }

  /**
   * The start as the server played it.
   * @param {Values} given
   */
  start({ parts, scenario }) {
    const about = { parts: parts.length, ends_us: scenario.until_us };
    return new Recording(about, { unpack: async (/** @type {number} */ at) => parts[at], records: async () => ({}) });
  }
}
