/** Transition and state to words: what happened, in which function of the broker, by which rule, with its numbers. */
import { KINDS } from "./catalogue/kinds.js";
import { EXTENT as E } from "./catalogue/rows.js";
import { generationOf, generationOfRule, ofTransition } from "./generations.js";
import { numbersOf } from "./number-words.js";
import { implementationsOf } from "./places.js";
import { outcomeText, returnText } from "./fate-words.js";
import { WORDS } from "./why-words.js";
import { decimal, fill, gettext, number } from "./text.js";
import { causeOf, messagesOf } from "./timeline.js";

/**
 * @import { AnyTransition, Kind, TransitionOf, Values } from "./catalogue/types.js"
 * @import { Fate } from "./fate.js"
 * @import { Line, Target } from "./timeline.js"
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
  return /** @type {((t: AnyTransition, n: number, atUs: number | null) => Sentence) | undefined} */ (found);
}

/**
 * The general cause of a transition: that of its kind, else that of the kind of queue whose lanes it names; where several have
 * these lanes, or it names none, of the one by whose rules it happened.
 * @param {AnyTransition} t
 * @param {number} messages
 */
function reasonOf(t, messages) {
  const word = wordOf(t.kind)?.(t, messages, null);
  if (word?.reason) return fill(word.reason, { ...valuesOf(t, messages), ...word.values });
  const kinds = implementationsOf([t.to, t.source]).map((name) => generationOf({ backing_queue: name }));
  const kind = kinds.find(({ rules }) => rules && t.rule.startsWith(rules)) ?? kinds[0] ?? generationOfRule(t.rule) ?? generationOf(null);
  const own = kind.reasons[t.kind];
  return own ? fill(/** @type {(t: AnyTransition) => string} */ (own)(t), valuesOf(t, messages)) : "";
}

/** @typedef {ReturnType<typeof explain>} Explained what the Why? panel shows of a transition */

/** Places of a sentence that stand for the number of messages. */
const COUNTED = /%\((n|count)\)s/;

/**
 * One line of the narrative: {glyph, tone, text, counted}; `counted` when the text contains the number of messages; `fate` of a stop's messages.
 * @param {AnyTransition} t
 * @param {Fate | null} [fate]
 * @param {number | null} [atUs] when it happened, where that is known
 */
export function narrate(t, messages = messagesOf(t), fate = null, atUs = null) {
  const word = wordOf(t.kind);
  if (!word) return { glyph: "\u00b7", tone: "plain", text: t.kind, counted: false };
  const { glyph, tone, text, values } = word(t, messages, atUs);
  if (fate) return { glyph, tone, text: outcomeText(fate), counted: true };
  return { glyph, tone, text: fill(text, { ...valuesOf(t, messages), ...values }), counted: COUNTED.test(text) };
}

/**
 * The sentence of a line: the log has it, and Why? has it as its title.
 * @param {Pick<Line, "whole" | "messages" | "fate" | "atUs">} line
 */
export const sentenceOf = ({ whole, messages, fate, atUs }) => narrate(whole, messages, fate, atUs);

/**
 * Everything that the Why? panel shows of a line: its sentence, which has the sum, and the numbers of its last pass.
 * @param {Pick<Line, "t" | "whole" | "messages" | "fate" | "atUs">} line
 * @param {Target | null} target the one that its queue had when it happened, where that is known
 */
export function explainLine(line, target) {
  return { ...explain(line.t, line.messages, target, line.fate, line.atUs), title: sentenceOf(line).text };
}

/**
 * Everything that the Why? panel shows of a transition.
 * @param {AnyTransition} t
 * @param {number} messages
 * @param {Target | null} target the one that its queue had when it happened, where that is known
 * @param {Fate | null} fate what a stop left, for the start after it
 * @param {number | null} atUs when it happened, where that is known
 */
export function explain(t, messages = messagesOf(t), target = null, fate = null, atUs = null) {
  const why = t.why ?? {};
  const line = narrate(t, messages, fate, atUs);
  const shared = { kind: t.kind, rule: t.rule, name: KINDS[t.kind].function || t.kind, tone: line.tone };
  const reason = reasonOf(t, messages);
  const steps = ofTransition("steps", t.kind)?.(why);
  if (steps) {
    /** @type {[name: string, value: string][]} */
    const numbers = [];
    return { ...shared, title: line.text, bar: ramBar(why), reason, steps, numbers, origin: originOf(target, why.target) };
  }
  return {
    ...shared,
    title: line.text,
    reason: [reason, fate ? returnText(fate) : ""].filter(Boolean).join(" "),
    bar: /** @type {ReturnType<typeof ramBar>} */ (null),
    steps: /** @type {Step[]} */ ([]),
    numbers: numbersOf(decidedBy(t), t.kind),
    origin: t.kind === "TargetChanged" ? originOf(target ?? { t: /** @type {TransitionOf<"TargetChanged">} */ (t), memory: {} }, t.target) : null,
  };
}

/**
 * The numbers of a transition: those that decided it, else those in its fields, else which messages it is about.
 * @param {AnyTransition} t
 */
function decidedBy(t) {
  if (t.why && Object.keys(t.why).length) return t.why;
  const own = ofTransition("numbers", t.kind);
  if (own) return own(t);
  const [first, last] = [t.extents?.[0], t.extents?.at(-1)];
  return first && last ? { start: first[E.start], stop: last[E.start] + last[E.count] - 1, count: messagesOf(t) } : {};
}

/** @param {Values} why */
function ramBar(why) {
  if (why.ram_msg_count === undefined) return null;
  return {
    ready: why.ram_msg_count,
    pending: why.ram_pending || 0,
    target: /** @type {number | null} */ (why.target),
    surplus: why.surplus || 0,
  };
}

/**
 * Where a target comes from, as the lines of its sum (Q42, Q43, M3); null where what is known is of another target.
 * @param {Target | null} known
 * @param {number | null | undefined} target the one that the transition had
 */
function originOf(known, target) {
  if (!known || known.t.target !== (target ?? null)) return null;
  const { why } = known.t;
  const cause = causeOf(known.t);
  if (cause !== "computed") return { target: known.t.target, lines: [CAUSES[cause](known.memory)] };
  const duration = decimal(why.duration, 3);
  const product = fill(gettext("%(duration)s s of messages at %(rates)s a second are %(product)s, rounded down to %(target)s"), {
    duration,
    rates: decimal(why.rates, 2),
    product: decimal(why.duration * why.rates, 2),
    target: number(known.t.target),
  });
  return { target: known.t.target, lines: [...durationLine(known.memory, why.duration, duration), product] };
}

/** @type {Record<Exclude<ReturnType<typeof causeOf>, "computed">, (memory: Values) => string>} */
const CAUSES = {
  unlimited: (memory) =>
    memory.process_memory < memory.paging_at
      ? gettext("Memory is under the paging line, so any number may stay.")
      : memory.reporting === 0
        ? gettext("No queue reports a rate, so the node wants no limit: any number may stay.")
        : gettext("The node wants no limit, so any number may stay."),
  pinned: () => gettext("Pinned by hand."),
  freed: () => gettext("No longer pinned by hand."),
  converting: () => gettext("The queue becomes lazy, so nothing may stay."),
  restored: () => gettext("The target from before the conversion."),
};

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

