/** What a learning platform of SCORM 1.2 gets: score and completion, by the calls that the standard names. */
import { fill, gettext } from "../model/text.js";

/** @typedef {Record<string, (...values: string[]) => unknown>} ScormApi the calls of a platform, by the standard's names */

/**
 * A window, as far as its frames can be reached.
 * @typedef {{ API?: ScormApi, parent?: ScormFrame, opener?: ScormFrame | null }} ScormFrame
 */

/** The platform's object is searched in so many frames upwards, as in the standard's own example. */
const MOST_FRAMES = 7;
/** A platform keeps so many characters. */
const MOST_KEPT = 4096;
const DONE = new Set(["passed", "completed"]);

/**
 * The platform's API: in the frames around a page, or around the window that opened it; null where there is none.
 * @param {ScormFrame} page
 */
export function findApi(page) {
  return around(page) ?? (page.opener ? around(page.opener) : null);
}

/** @param {ScormFrame} page */
function around(page) {
  try {
    let frame = page;
    for (let up = 0; up <= MOST_FRAMES; up += 1) {
      if (frame.API) return frame.API;
      if (!frame.parent || frame.parent === frame) return null;
      frame = frame.parent;
    }
  } catch {
    // The browser does not give access to a frame of another site.
  }
  return null;
}

/**
 * The time since the beginning in the platform's format: hours, minutes, seconds.
 * @param {number} seconds
 */
export function timespan(seconds) {
  /** @param {number} value */
  const two = (value) => String(Math.floor(value)).padStart(2, "0");
  return `${String(Math.floor(seconds / 3600)).padStart(4, "0")}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

export class Lms {
  /**
   * `exercises` are the names that count; `clock()` gives seconds; `show(words, trouble)` shows a sentence to the reader.
   * @param {ScormApi | null} api
   * @param {string[]} exercises
   * @param {(words: string, trouble: boolean) => void} show
   */
  constructor(api, exercises, show, clock = () => performance.now() / 1000) {
    this.api = api;
    this.exercises = exercises;
    this.show = show;
    this.clock = clock;
    this.began = clock();
    /** @type {Record<string, [score: number, done: boolean]>} what each exercise has brought so far */
    this.results = {};
    this.open = false;
    this.done = false;
  }

  /** Begin, from what was reported before. Returns the learner, or nothing where the platform does not answer. */
  begin() {
    if (!this.api) {
      this.show(gettext("No learning platform answers: what you do here is not reported."), true);
      return "";
    }
    this.open = this.call("LMSInitialize", "");
    if (!this.open) return "";
    const status = this.get("cmi.core.lesson_status");
    this.done = DONE.has(status);
    this.results = kept(this.get("cmi.suspend_data"), this.exercises);
    if (!this.done && status !== "incomplete") this.set("cmi.core.lesson_status", "incomplete");
    this.call("LMSCommit", "");
    return this.get("cmi.core.student_id");
  }

  /**
   * Take how far the work on an exercise is; only what is better than before is reported.
   * @param {{ exercise: string, score: number, done: boolean }} work
   */
  worked({ exercise, score, done }) {
    if (!this.open || !this.exercises.includes(exercise) || typeof score !== "number") return;
    const [before, was] = this.results[exercise] ?? [-1, false];
    if (score <= before && (was || !done)) return;
    this.results[exercise] = [Math.max(score, before), was || Boolean(done)];
    this.report();
  }

  /** The mean over the exercises, 0 to 100. */
  get score() {
    const sum = this.exercises.reduce((total, each) => total + (this.results[each]?.[0] ?? 0), 0);
    return Math.round((sum / this.exercises.length) * 100);
  }

  report() {
    this.done ||= this.exercises.every((each) => this.results[each]?.[1]);
    /** @type {[name: string, value: string][]} */
    const values = [
      ["cmi.core.score.min", "0"],
      ["cmi.core.score.max", "100"],
      ["cmi.core.score.raw", String(this.score)],
      ["cmi.core.lesson_status", this.done ? "completed" : "incomplete"],
      ["cmi.suspend_data", JSON.stringify(this.results).slice(0, MOST_KEPT)],
    ];
    if (values.every(([name, value]) => this.set(name, value)) && this.call("LMSCommit", ""))
      this.show(fill(gettext("Reported to the learning platform: %(score)s of 100."), { score: this.score }), false);
  }

  /** Leave for good; calling it again does nothing. */
  finish() {
    if (!this.open) return;
    this.set("cmi.core.session_time", timespan(this.clock() - this.began));
    this.set("cmi.core.exit", this.done ? "" : "suspend");
    this.call("LMSCommit", "");
    this.call("LMSFinish", "");
    this.open = false;
  }

  /** @param {string} name */
  get(name) {
    return String(this.api?.LMSGetValue(name));
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  set(name, value) {
    return this.call("LMSSetValue", name, value);
  }

  /**
   * Make a call; where the platform refuses it, its reader gets the reason.
   * @param {string} name
   * @param {...string} values
   */
  call(name, ...values) {
    const { api } = this;
    if (!api) return false;
    if (String(api[name](...values)) === "true") return true;
    const code = String(api.LMSGetLastError());
    const why = String(api.LMSGetErrorString(code)) || name;
    this.show(fill(gettext("The learning platform did not take the result: %(why)s (error %(code)s)."), { why, code }), true);
    return false;
  }
}

/**
 * The data that the platform kept, as far as they are valid.
 * @param {string} text
 * @param {string[]} exercises
 */
function kept(text, exercises) {
  try {
    /** @type {[name: string, result: [score: number, done: boolean]][]} */
    const results = Object.entries(JSON.parse(text || "{}"));
    return Object.fromEntries(results.filter(([name, each]) => exercises.includes(name) && Array.isArray(each) && typeof each[0] === "number"));
  } catch {
    return {};
  }
}
