/** The story of a scenario: where the run stands still, the notes that appear there, the prediction and its outcome. */
import { holds } from "./conditions.js";

/**
 * @import { RunSnapshot, Values } from "./catalogue/types.js"
 * @import { Condition } from "./conditions.js"
 */

/** @typedef {Values & { text?: string, at_us?: number, when?: Condition, pause?: boolean }} Note a text that appears at a moment */

/** @typedef {Values & { annotations?: Note[], breakpoints?: Note[] }} StoryContent a scenario's story in the reader's language */

/** @typedef {{ atUs: number, notes: Note[], question: boolean, answer: boolean, verdict: boolean, pause: boolean }} Stop */

/** A stop is {atUs, notes, question, answer, verdict, pause}: everything that belongs to one moment. */
export class Story {
  /**
   * `content` is the scenario's story in the reader's language, `untilUs` where the run ends, `linkedUs` the moment that a link led to.
   * @param {StoryContent} content
   * @param {number} untilUs
   * @param {number | null} [linkedUs]
   */
  constructor(content, untilUs, linkedUs = null) {
    this.content = content;
    this.untilUs = untilUs;
    this.linkedUs = linkedUs;
    this.prediction = content.prediction ?? null;
    this.waiting = [...(content.annotations ?? []), ...(content.breakpoints ?? [])].filter((each) => each.when);
    /** @type {Stop[]} */
    this.stops = [];
    /** @type {number | null} the option that was chosen */
    this.chosen = null;
    this.skipped = false;
    /** @type {number | null} the option that was right, once the run has shown it */
    this.right = null;
    for (const note of content.annotations ?? []) if (note.at_us !== undefined) this.note(note, note.at_us);
    for (const each of content.breakpoints ?? []) if (each.at_us !== undefined) this.at(each.at_us).pause = true;
    this.place();
  }

  place() {
    if (this.prediction) {
      Object.assign(this.at(this.prediction.ask_at_us ?? 0), { question: true, pause: true });
      Object.assign(this.at(this.prediction.at_us), { answer: true, pause: true });
    }
    if (this.content.verdict) Object.assign(this.at(this.content.verdict.evidence_at_us), { verdict: true, pause: true });
  }

  /**
   * The stop at a time, made where there is none.
   * @param {number} atUs
   */
  at(atUs) {
    let stop = this.stops.find((each) => each.atUs === atUs);
    if (!stop) {
      stop = { atUs, notes: [], question: false, answer: false, verdict: false, pause: false };
      this.stops.push(stop);
      this.stops.sort((a, b) => a.atUs - b.atUs);
    }
    return stop;
  }

  /**
   * @param {Note} note
   * @param {number} atUs
   */
  note(note, atUs) {
    const stop = this.at(atUs);
    stop.notes.push(note);
    stop.pause ||= note.pause !== false;
  }

  /**
   * What the articles say of the moment that a link led to, while it is shown.
   * @param {number} nowUs
   * @returns {{ claim: string, verdict: string }[]}
   */
  articlesAt(nowUs) {
    const { content: { articles }, linkedUs } = this;
    if (!articles || linkedUs === null || Math.abs(linkedUs - nowUs) > articles.near_us) return [];
    return articles.rows.filter((/** @type {Values} */ row) => row.at_us.some((/** @type {number} */ us) => Math.abs(us - linkedUs) <= articles.near_us));
  }

  /**
   * Whether an answer is owed at this time before the run may go on.
   * @param {number} nowUs
   */
  locked(nowUs) {
    return Boolean(
      this.prediction &&
      this.chosen === null &&
      !this.skipped &&
      nowUs >= (this.prediction.ask_at_us ?? 0) &&
      nowUs < this.prediction.at_us,
    );
  }

  /**
   * Lock an option, by its number. Returns whether it counts: not after the run has shown the answer.
   * @param {number} option
   * @param {number} nowUs
   */
  choose(option, nowUs) {
    if (!this.locked(nowUs)) return false;
    this.chosen = option;
    return true;
  }

  /** Go on without an answer. */
  skip() {
    this.skipped = true;
  }

  /**
   * The time at which the run stands still next, or null.
   * @param {number} nowUs
   */
  next(nowUs) {
    return this.stops.find((stop) => stop.pause && stop.atUs > nowUs)?.atUs ?? null;
  }

  /**
   * What a wish to let time pass becomes: the same up to the next stop, or null while an answer is owed.
   * @param {Values} message
   * @param {number} nowUs
   */
  mend(message, nowUs) {
    if (message.t === "step") return this.locked(nowUs) ? null : message;
    if (message.t !== "control" || !message.play) return message;
    if (this.locked(nowUs)) return null;
    const stop = this.next(nowUs);
    if (stop === null) return message;
    return { ...message, until_us: Math.min(stop, message.until_us ?? Infinity) };
  }

  /**
   * The stop that is shown at a time: the last one that was reached, or null before the first.
   * @param {number} nowUs
   */
  current(nowUs) {
    let found = null;
    for (const stop of this.stops) if (stop.atUs <= nowUs) found = stop;
    return found;
  }

  /**
   * Examine the state of a moment: at the prediction's moment it decides which option was right.
   * @param {number} atUs
   * @param {RunSnapshot} state
   */
  observe(atUs, state) {
    if (!this.prediction || this.right !== null || atUs !== this.prediction.at_us) return;
    this.right = this.prediction.options.findIndex((/** @type {{ when: Condition }} */ option) => holds(option.when, state));
  }

  /**
   * Examine a row's state for notes that wait for a condition; returns whether the run should stand still.
   * @param {number} atUs
   * @param {RunSnapshot} state
   */
  watch(atUs, state) {
    const met = this.waiting.filter((each) => holds(/** @type {Condition} */ (each.when), state));
    if (!met.length) return false;
    this.waiting = this.waiting.filter((each) => !met.includes(each));
    for (const each of met) {
      if (each.text) this.note(each, atUs);
      else this.at(atUs).pause = true;
    }
    return met.some((each) => each.pause !== false);
  }
}
