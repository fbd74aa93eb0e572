/** Transition and state to words: what happened, in which function of the broker, by which rule, with its numbers. */
import { KINDS, UNITS } from "./catalogue/kinds.js";
import { generationOf, ofTransition } from "./generations.js";
import { implementationOf } from "./places.js";
import { outcomeText, returnText } from "./fate-words.js";
import { WORDS } from "./why-words.js";
import { bytes, decimal, fill, gettext, number } from "./text.js";
import { messagesOf } from "./timeline.js";

/**
 * @import { AnyTransition, Kind, TransitionOf, Values } from "./catalogue/types.js"
 * @import { Fate } from "./fate.js"
 * @import { Target } from "./timeline.js"
 * @import { Sentence, Step } from "./why-sentence.js"
 */

/**
 * Values for the places of a sentence: the fields, and the numbers that made the transition fire.
 * @param {AnyTransition} t
 * @param {number} messages
 */
function valuesOf(t, messages) {
  /** @type {Values} */
  const values = { ...t, n: number(messages) };
  for (const [name, value] of Object.entries(t.why ?? {}))
    values[name] = typeof value === "number" ? number(value) : value;
  return values;
}

/**
 * The function that describes transitions of a kind, which is only ever given such.
 * @param {Kind} kind
 */
function wordOf(kind) {
  const found = WORDS[kind] ?? ofTransition("words", kind);
  return /** @type {((t: AnyTransition, n: number) => Sentence) | undefined} */ (found);
}

/**
 * The general cause of a transition: that of its kind, else that of the kind of queue whose lanes it names.
 * @param {AnyTransition} t
 * @param {number} messages
 */
function reasonOf(t, messages) {
  const reason = wordOf(t.kind)?.(t, messages).reason;
  if (reason) return reason;
  const implementation = implementationOf([t.to, t.source]);
  const own = generationOf({ backing_queue: implementation }).reasons[t.kind];
  return own ? /** @type {(t: AnyTransition) => string} */ (own)(t) : "";
}

/** @typedef {ReturnType<typeof explain>} Explained what the Why? panel shows of a transition */

/** Places of a sentence that stand for the number of messages. */
const COUNTED = /%\((n|count)\)s/;

/**
 * One line of the narrative: {glyph, tone, text, counted}; `counted` when the text contains the number of messages; `fate` of a stop's messages.
 * @param {AnyTransition} t
 * @param {Fate | null} [fate]
 */
export function narrate(t, messages = messagesOf(t), fate = null) {
  const word = wordOf(t.kind);
  if (!word) return { glyph: "\u00b7", tone: "plain", text: t.kind, counted: false };
  const { glyph, tone, text, values } = word(t, messages);
  if (fate) return { glyph, tone, text: outcomeText(fate), counted: true };
  return { glyph, tone, text: fill(text, { ...valuesOf(t, messages), ...values }), counted: COUNTED.test(text) };
}

/**
 * Everything that the Why? panel shows of a transition.
 * @param {AnyTransition} t
 * @param {number} messages
 * @param {Target | null} target the last one of its queue
 * @param {Fate | null} fate what a stop left, for the start after it
 */
export function explain(t, messages = messagesOf(t), target = null, fate = null) {
  const why = t.why ?? {};
  const line = narrate(t, messages, fate);
  const shared = { kind: t.kind, rule: t.rule, name: KINDS[t.kind].function || t.kind, tone: line.tone };
  const steps = ofTransition("steps", t.kind)?.(why);
  if (steps) {
    /** @type {[name: string, value: string][]} */
    const numbers = [];
    return { ...shared, title: steps.title, bar: ramBar(why), reason: "", steps: steps.steps, numbers, origin: originOf(target) };
  }
  const reason = reasonOf(t, messages);
  return {
    ...shared,
    title: line.text,
    reason: [reason ? fill(reason, valuesOf(t, messages)) : "", fate ? returnText(fate) : ""].filter(Boolean).join(" "),
    bar: /** @type {ReturnType<typeof ramBar>} */ (null),
    steps: /** @type {Step[]} */ ([]),
    numbers: numbersOf(why, t.kind),
    origin:
      t.kind === "TargetChanged" ? originOf(target?.t.target === t.target ? target : { t: /** @type {TransitionOf<"TargetChanged">} */ (t), memory: {} }) : null,
  };
}

/** @param {Values} why */
function ramBar(why) {
  if (why.ram_msg_count === undefined) return null;
  return {
    ready: why.ram_msg_count,
    pending: why.ram_pending || 0,
    target: why.target ?? 0,
    surplus: why.surplus || 0,
  };
}

/**
 * Where the target comes from, as the lines of its sum (Q42, Q43, M3); `known` is {t, memory}.
 * @param {Target | null} known
 */
function originOf(known) {
  if (!known) return null;
  const { target, why } = known.t;
  if (target === null)
    return { target, lines: [gettext("Memory is under the paging line, so any number may stay.")] };
  if (typeof why.duration !== "number") return { target, lines: [gettext("Pinned by hand.")] };
  const duration = decimal(why.duration, 3);
  const product = fill(gettext("%(duration)s s \u00d7 %(rates)s msg/s = %(target)s"), {
    duration,
    rates: decimal(why.rates, 2),
    target: number(target),
  });
  return { target, lines: [...durationLine(known.memory, why.duration, duration), product] };
}

/**
 * How the wanted duration was computed, if the memory monitor's numbers of that moment still give it.
 * @param {Values} memory
 * @param {number} exact
 * @param {string} duration
 */
function durationLine({ reported_sum: sum, reporting, process_memory: used, limit }, exact, duration) {
  const ratio = used / limit;
  for (const extra of [1, 0]) {
    if (reporting && Math.abs((sum + extra) / reporting / ratio - exact) < 1e-6) {
      const reported = extra ? `(${decimal(sum, 3)} + 1)` : decimal(sum, 3);
      return [
        fill(gettext("%(reported)s s \u00f7 %(queues)s \u00f7 %(ratio)s = %(duration)s s"), {
          reported,
          queues: reporting,
          ratio: decimal(ratio, 3),
          duration,
        }),
      ];
    }
  }
  return [];
}

/**
 * The numbers of `why` as pairs for a list.
 * @param {Values} why
 * @param {string} kind
 */
function numbersOf(why, kind) {
  return Object.entries(why)
    .filter(([, value]) => value !== null && typeof value !== "object")
    .map(([name, value]) => [name.replaceAll("_", " "), shown(value, KINDS[kind].units?.[name] ?? UNITS[name])]);
}

/**
 * @param {unknown} value
 * @param {string | undefined} unit
 */
function shown(value, unit) {
  if (typeof value === "number" && unit === "bytes" && value > 4096) return bytes(value);
  if (typeof value === "number") return Number.isInteger(value) ? number(value) : decimal(value, 3);
  if (typeof value === "boolean") return value ? gettext("yes") : gettext("no");
  return String(value);
}
