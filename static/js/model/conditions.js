/**
 * Conditions: the one language in which a path of a state is compared with a value. The same as
 * engine/reading/conditions.py; tests/web/condition_cases.json holds both to it. Nothing is ever executed.
 */
import { valueAt } from "./paths.js";

const ORDER = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** Whether two values stand in a relation; ordering needs two numbers, and lists and objects are equal to nothing. */
export function compare(found, op, wanted) {
  if (ORDER[op]) return typeof found === "number" && typeof wanted === "number" && ORDER[op](found, wanted);
  const same = found === wanted && (found === null || typeof found !== "object");
  return op === "!=" ? !same : same;
}

const partsOf = (condition) => {
  const one = condition.not ?? condition.ever ?? condition.always;
  return one ? [one] : (condition.all ?? condition.any ?? []);
};

/** A condition that is followed through a run. */
export class Watch {
  /** `earlier(reference)` looks up a value of an earlier moment. */
  constructor(condition, earlier = null) {
    this.condition = condition;
    this.earlier = earlier;
    this.parts = partsOf(condition).map((part) => new Watch(part, earlier));
    this.held = Boolean(condition.always);
  }

  /** Take notice of a moment; `ever` and `always` need each. */
  observe(state) {
    for (const part of this.parts) part.observe(state);
    if (this.condition.ever) this.held ||= this.parts[0].holds(state);
    else if (this.condition.always) this.held &&= this.parts[0].holds(state);
  }

  /** Whether the condition holds, with `state` as the last moment. */
  holds(state) {
    const said = this.condition;
    if (said.path !== undefined) return compare(valueAt(state, said.path), said.op ?? "==", this.wanted(state));
    if (said.ever || said.always) return this.held;
    if (said.not) return !this.parts[0].holds(state);
    return said.all ? this.parts.every((part) => part.holds(state)) : this.parts.some((part) => part.holds(state));
  }

  wanted(state) {
    const wanted = this.condition.value ?? null;
    if (wanted === null || typeof wanted !== "object") return wanted;
    if (wanted.at_us === undefined || wanted.at_us === null) return valueAt(state, wanted.path);
    return this.earlier ? this.earlier(wanted) : null;
  }
}

/** Whether a condition holds in a state; of a run's other moments nothing is known. */
export function holds(condition, state) {
  return new Watch(condition).holds(state);
}
