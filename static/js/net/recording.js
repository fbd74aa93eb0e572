/**
 * A run that was recorded, played in the page: the other end of a socket that needs no server.
 *
 * The recording comes in parts, which are unpacked when they are near. A part is a list of messages as a server sends them:
 * snapshots, and frames of rows with the time of each. Frames are cut here as time passes.
 */
import { fill, gettext } from "../model/text.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { SentPast } from "../model/past.js"
 */

const TICK_MS = 50;
/** Rows in one frame, as on the server. */
const MOST_ROWS = 400;
/** After a pause of the page, at most so much real time is made up for. */
const CATCH_UP_MS = 250;

/**
 * @typedef {{ t: "snapshot", next: number, at_us: number, digest: string }} Snapshot
 * @typedef {{ t: "frame", first: number, at_us: number[], rows: unknown[], digest?: string }} Frame
 * @typedef {Snapshot | Frame} Message
 * @typedef {{ number: number, at_us: number }} Moment a transition at which bytes were kept
 */

export class Recording {
  /**
   * `parts` is how many there are, `unpack(at)` resolves with the messages of one, `ends_us` is where the recording ends,
   * `lasts_us` where the run ends, if that is later. `moments` are the numbers of transitions at which bytes were kept:
   * `records(at)` resolves with {question: record} of one.
   * `begun` is what happened before the first part's snapshot. `clock` gives milliseconds.
   * @param {{ parts: number, ends_us: number, lasts_us?: number, moments?: Moment[], begun?: SentPast }} about
   * @param {{ unpack: (at: number) => Promise<Message[]>, records: (at: number) => Promise<Record<string, Values>> }} content
   */
  constructor({ parts, ends_us: endsUs, lasts_us: lastsUs = endsUs, moments = [], begun }, { unpack, records }, clock = () => performance.now()) {
    const recording = this;
    this.address = "recorded:";
    this.ahead = true;
    this.parts = parts;
    this.endsUs = endsUs;
    this.lastsUs = lastsUs;
    this.moments = moments;
    this.begun = begun;
    this.unpack = unpack;
    this.records = records;
    this.clock = clock;
    /** @type {Map<number, Promise<Record<string, Values>>>} by place in `moments` */
    this.kept = new Map();
    this.sent = 0;
    this.Socket = class extends RecordedSocket {
      constructor() {
        super(recording);
      }
    };
  }

  /** The bytes that were kept for the moment that is shown; other moments have none. */
  async record({ at = this.sent, ...question }) {
    const place = this.moments.findIndex((moment) => moment.number === Number(at));
    if (place < 0) return { waiting: this.elsewhere() };
    const records = this.kept.get(place) ?? this.records(place);
    this.kept.set(place, records);
    const found = (await records)[keyOf(question)];
    return found ?? { waiting: gettext("This page has the bytes of some messages only, and this one is not among them.") };
  }

  elsewhere() {
    if (!this.moments.length) return gettext("This page has no bytes of single messages.");
    const times = this.moments.map(({ at_us: us }) => (us / 1e6).toFixed(2)).join(", ");
    return fill(gettext("This page has bytes of the moments at %(times)s s. Go to one of them."), { times });
  }

  /**
   * What was before the first snapshot: the start of the node, where the recording has it.
   * @param {string} address
   */
  async past(address) {
    const { begun } = this;
    return begun && new URLSearchParams(address.split("?")[1]).get("from") === "0" ? { ok: true, status: 200, json: async () => begun } : { ok: false, status: 404 };
  }

  /** @returns {null} no link can be made where there is no server */
  get share() {
    return null;
  }

  refusal() {
    return gettext("This page repeats a run that was recorded: nothing can be changed in it.");
  }
}

/** The other end of the connection: WebSocket's shape, as far as the transport uses it. */
class RecordedSocket {
  /** @param {Recording} recording */
  constructor(recording) {
    this.recording = recording;
    this.readyState = 0;
    /** @type {() => void} */
    this.onopen = () => {};
    /** @type {(event: {data: string}) => void} */
    this.onmessage = () => {};
    this.onclose = () => {};
    this.play = false;
    this.speed = 1;
    this.timer = 0;
    /** Whether a part of the page, such as a story, keeps time still while the recording goes on. */
    this.halted = false;
    this.nowUs = 0;
    this.next = 0;
    this.untilUs = Infinity;
    /** @type {Values | null} what was requested of time and has not come to its end yet */
    this.owed = null;
    this.anchor = { ms: 0, us: 0 };
    /** @type {Message[]} what is unpacked and was not sent yet */
    this.waiting = [];
    this.part = 0;
    /** @type {Promise<Message[]>?} */
    this.coming = null;
    /** Wishes are done one after the other, as unpacking takes a while. */
    this.work = Promise.resolve();
    queueMicrotask(() => {
      if (this.readyState) return;
      this.readyState = 1;
      this.onopen();
    });
  }

  close() {
    this.readyState = 3;
    clearTimeout(this.timer);
  }

  /** @param {string} text */
  send(text) {
    const message = JSON.parse(text);
    if (message.t === "control") this.halted = message.play === false;
    /** @type {Record<string, () => Promise<void>>} */
    const wishes = { hello: () => this.hello(), control: () => this.control(message), step: () => this.step() };
    const wish = wishes[message.t];
    if (wish) this.work = this.work.then(wish);
    else if (message.id !== undefined) this.refuse(message.id);
  }

  /** @param {Values} message */
  deliver(message) {
    if (this.readyState === 1) this.onmessage({ data: JSON.stringify(message) });
  }

  /** @param {number | string} id */
  refuse(id) {
    this.deliver({ t: "refused", id, message: this.recording.refusal() });
  }

  /** Begin, or begin again: from the first snapshot on. */
  async hello() {
    clearTimeout(this.timer);
    Object.assign(this, { waiting: [], part: 0, coming: null, nowUs: 0, next: 0, play: false });
    this.deliver({ t: "welcome", owner: true, lasts_us: this.recording.lastsUs });
    const first = await this.head();
    if (first) this.take(first);
    this.pace();
  }

  /** The next message that was not sent yet, unpacked where it must be; undefined at the end. */
  async head() {
    while (!this.waiting.length && (this.coming || this.part < this.recording.parts)) {
      this.waiting = await (this.coming ?? this.unpackNext());
      this.coming = this.part < this.recording.parts ? this.unpackNext() : null;
    }
    return this.waiting[0];
  }

  /** @returns {Promise<Message[]>} */
  unpackNext() {
    this.part += 1;
    return this.recording.unpack(this.part - 1);
  }

  /**
   * Send a snapshot, or the first `count` rows of a frame.
   * @param {Message} message
   */
  take(message, count = message.t === "frame" ? message.rows.length : 0) {
    if (message.t === "snapshot") {
      this.waiting.shift();
      Object.assign(this, { next: message.next, nowUs: Math.max(this.nowUs, message.at_us) });
      this.recording.sent = this.next;
      this.deliver(message);
      return;
    }
    const whole = count === message.rows.length;
    this.nowUs = Math.max(this.nowUs, message.at_us[count - 1] ?? 0);
    this.next = message.first + count;
    this.recording.sent = this.next;
    const [rows, times] = [message.rows.slice(0, count), message.at_us.slice(0, count)];
    if (whole) this.waiting.shift();
    else this.waiting[0] = { ...message, first: this.next, rows: message.rows.slice(count), at_us: message.at_us.slice(count) };
    this.frame(message.first, rows, times, whole ? message.digest : "");
  }

  /**
   * @param {number} first
   * @param {unknown[]} rows
   * @param {number[]} times
   * @param {string | undefined} digest
   */
  frame(first, rows, times, digest) {
    const { nowUs: now_us, play, speed } = this;
    this.deliver({ t: "frame", first, rows, at_us: times, now_us, play, speed, digest });
  }

  /** An empty frame with whether time passes. */
  pace() {
    this.frame(this.next, [], [], undefined);
  }

  /** @param {Values} given */
  async control({ play, speed, until_us: untilUs, at_once: atOnce }) {
    this.speed = speed ?? this.speed;
    if (play !== undefined) {
      this.untilUs = play ? Math.min(untilUs ?? Infinity, this.recording.endsUs) : Infinity;
      this.play = play && this.untilUs > this.nowUs;
      this.owed = play ? { t: "control", play, until_us: untilUs, at_once: atOnce } : null;
    }
    this.anchor = { ms: this.recording.clock(), us: this.nowUs };
    clearTimeout(this.timer);
    if (this.play && atOnce) await this.advance(this.untilUs);
    this.pace();
    if (this.play) this.later();
  }

  later() {
    this.timer = setTimeout(() => (this.work = this.work.then(() => this.tick())), TICK_MS);
  }

  async tick() {
    if (!this.play || this.readyState !== 1) return;
    const ms = this.recording.clock();
    const passed = Math.min(ms - this.anchor.ms, CATCH_UP_MS);
    const due = Math.floor(this.anchor.us + passed * 1000 * this.speed);
    await this.advance(Math.min(due, this.untilUs));
    this.anchor = { ms: this.recording.clock(), us: this.nowUs };
    if (this.play) this.later();
  }

  /**
   * Send everything up to a time; time stands still where that is as far as it may go.
   * @param {number} dueUs
   */
  async advance(dueUs) {
    for (let message = await this.head(); message; message = await this.head()) {
      if (this.halted) {
        dueUs = this.nowUs;
        break;
      }
      if (message.t === "snapshot") {
        if (message.at_us > dueUs) break;
        this.take(message);
        continue;
      }
      const due = countUpTo(message.at_us, dueUs);
      if (!due && message.rows.length) break;
      this.take(message, Math.min(due, MOST_ROWS));
    }
    this.nowUs = Math.max(this.nowUs, dueUs);
    if (dueUs >= this.untilUs) this.play = false;
    if (this.nowUs >= (this.owed?.until_us ?? Infinity)) this.owed = null;
    this.pace();
  }

  /** One transition on. */
  async step() {
    const message = await this.head();
    this.play = false;
    if (message) this.take(message, message.t === "frame" ? Math.min(1, message.rows.length) : 0);
    this.pace();
  }
}

/**
 * How many of ascending times are at most `us`.
 * @param {number[]} times
 * @param {number} us
 */
function countUpTo(times, us) {
  const later = times.findIndex((each) => each > us);
  return later < 0 ? times.length : later;
}

/**
 * Under which name the answer to a question is kept: its values by their names, without the queue of a question that names none
 * (playground/offline/recording.py).
 * @param {Values} question
 */
function keyOf(question) {
  const asked = new URLSearchParams(Object.entries(question).filter(([, value]) => value !== ""));
  asked.sort();
  return asked.toString();
}
