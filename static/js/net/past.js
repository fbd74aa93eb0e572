/** Requests from the host what happened before the page came, and rows that it did not get, when the reader goes there. */
import { WHOLE, missing, takePast } from "../model/past.js";

/**
 * @import { SentPast } from "../model/past.js"
 * @import { Playhead } from "../model/playhead.js"
 */

/** @typedef {{ ok: boolean, status: number, json?: () => Promise<SentPast> }} PastAnswer of a host to a request for rows */

/** After a busy answer the request is repeated so many times, so far apart. */
const AGAIN_MS = 10_000;
const TIMES = 3;
/** Answers of a busy host: the same request may succeed later. */
const BUSY = new Set([429, 503]);

/** @param {number} ms */
const pause = (ms) =>
  new Promise((wake) => {
    setTimeout(wake, ms);
  });

export class Past {
  /**
   * `url` answers {from, to}; `request(address)` is the host's way to it: fetch, or what answers like it.
   * @param {string} url
   * @param {Playhead} playhead
   * @param {(address: string) => Promise<PastAnswer>} request
   */
  constructor(url, playhead, request) {
    this.url = url;
    this.request = request;
    this.playhead = playhead;
    this.session = playhead.session;
    this.history = playhead.history;
    /** @type {number | null} which run's past is here */
    this.epoch = null;
    this.running = false;
    /** The ranges that the host does not have, by their first row. */
    this.vain = new Set();
    /** @type {(() => void)[]} called once, when the past is there or cannot be had */
    this.waiting = [];
    this.session.listen(({ kind }) => kind === "snapshot" && this.came());
    playhead.listen(() => this.playheadMoved());
  }

  /**
   * Call `then()` as soon as the past before the page is there, or is known not to come.
   * @param {() => void} then
   */
  ready(then) {
    if (this.epoch === this.history.epoch && !this.running) then();
    else this.waiting.push(then);
  }

  /** The page has come to a run: of one that began earlier, request the past. */
  came() {
    if (this.epoch === this.history.epoch) return;
    this.epoch = this.history.epoch;
    this.vain.clear();
    this.fetch(missing(this.history), () => this.notifyReady());
  }

  /** Request what is missing beside the moment that is shown. */
  playheadMoved() {
    if (!this.playhead.behind) return;
    const gap = missing(this.history, this.playhead.position);
    if (gap && !this.running && !this.vain.has(gap.from)) this.fetch(gap, () => this.again());
  }

  /** Show the same moment again, now with the rows that led to it. */
  again() {
    const { playhead } = this;
    if (playhead.behind) playhead.toTime(playhead.nowUs);
  }

  notifyReady() {
    for (const then of this.waiting.splice(0)) then();
  }

  /**
   * @param {{ from: number, to: number } | null} gap
   * @param {() => void} then
   */
  async fetch(gap, then) {
    if (!gap) return then();
    const { epoch } = this.history;
    this.running = true;
    const through = await this.fetchRows(gap.from, gap.to);
    this.running = false;
    if (epoch !== this.history.epoch) return this.came();
    if (through < gap.to) this.vain.add(gap.from);
    return then();
  }

  /**
   * Fetch what happened from one position to another; resolves with the position up to which everything is here now.
   * @param {number} from
   * @param {number} to
   */
  async fetchRows(from, to) {
    const { epoch } = this.history;
    const past = await this.answer({ from, to }, epoch);
    if (!past || epoch !== this.history.epoch) return from;
    if (past.stretches.length) takePast(this.session, past);
    return past.through;
  }

  /**
   * Fetch the next rows of a stretch of any length, as many as come row by row; resolves as `fetchRows` does.
   * @param {number} from
   * @param {number} to
   */
  fetchNext(from, to) {
    return this.fetchRows(from, Math.min(to, from + WHOLE));
  }

  /**
   * The answer of the host, or null; a busy one gets the request again.
   * @param {{ from: number, to: number }} rows
   * @param {number} epoch
   * @returns {Promise<SentPast | null>}
   */
  async answer({ from, to }, epoch) {
    for (let time = 0; time < TIMES && epoch === this.history.epoch; time += 1) {
      if (time) await pause(AGAIN_MS);
      try {
        const answer = await this.request(`${this.url}?${new URLSearchParams({ from: String(from), to: String(to) })}`);
        if (answer.ok && answer.json) return await answer.json();
        if (!BUSY.has(answer.status)) return null;
      } catch {
        return null;
      }
    }
    return null;
  }
}
