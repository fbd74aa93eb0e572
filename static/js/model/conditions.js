/**
 * Conditions: the one language in which a path of a state is compared with a value. The same as
 * engine/reading/conditions.py; tests/web/condition_cases.json holds both to it. Nothing is ever executed.
 */
import { valueAt } from "./paths.js";

/**
 * A value of another moment, or of another path.
 * @typedef {{ path: string | (string | number)[], at_us?: number | null }} Reference
 */

/**
 * A condition: a path compared with a value, or others put together.
 * @typedef {{ path?: string | (string | number)[], op?: string, value?: unknown, not?: Condition, all?: Condition[], any?: Condition[], ever?: Condition, always?: Condition }} Condition
 */

/** @type {Record<string, (a: number, b: number) => boolean>} */
const ORDER = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/**
 * Whether two values stand in a relation; ordering needs two numbers, and lists and objects are equal to nothing.
 * @param {unknown} found
 * @param {string} op
 * @param {unknown} value
 */
export function compare(found, op, value) {
  if (ORDER[op]) return typeof found === "number" && typeof value === "number" && ORDER[op](found, value);
  const same = found === value && (found === null || typeof found !== "object");
  return op === "!=" ? !same : same;
}

/** @param {Condition} condition */
const partsOf = (condition) => {
  const one = condition.not ?? condition.ever ?? condition.always;
  return one ? [one] : (condition.all ?? condition.any ?? []);
};

/** A condition that is followed through a run. */
export class Watch {
  /**
   * `earlier(reference)` gives a value of an earlier moment.
   * @param {Condition} condition
   * @param {((reference: Reference) => unknown) | null} [earlier]
   */
  constructor(condition, earlier = null) {
    this.condition = condition;
    this.earlier = earlier;
    this.parts = partsOf(condition).map((part) => new Watch(part, earlier));
    this.held = Boolean(condition.always);
  }

  /**
   * Take notice of a moment; `ever` and `always` need each.
   * @param {object} state
   */
  observe(state) {
    for (const part of this.parts) part.observe(state);
    if (this.condition.ever) this.held ||= this.parts[0].holds(state);
    else if (this.condition.always) this.held &&= this.parts[0].holds(state);
  }

  /**
   * Whether the condition holds, with `state` as the last moment.
   * @param {object} state
   * @returns {boolean}
   */
  holds(state) {
    const condition = this.condition;
    if (condition.path !== undefined) return compare(valueAt(state, condition.path), condition.op ?? "==", this.value(state));
    if (condition.ever || condition.always) return this.held;
    if (condition.not) return !this.parts[0].holds(state);
    return condition.all ? this.parts.every((part) => part.holds(state)) : this.parts.some((part) => part.holds(state));
  }

  /** @param {object} state */
  value(state) {
    const value = /** @type {Reference | null} */ (this.condition.value ?? null);
    if (value === null || typeof value !== "object") return value;
    if (value.at_us === undefined || value.at_us === null) return valueAt(state, value.path);
    return this.earlier ? this.earlier(value) : null;
  }
}

/**
 * Whether a condition holds in a state; of a run's other moments nothing is known.
 * @param {Condition} condition
 * @param {object} state
 */
export function holds(condition, state) {
  return new Watch(condition).holds(state);
}
