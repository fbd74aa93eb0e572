/** Sentences about transitions: their form, and what several of them share. */
import { gettext } from "./text.js";

/**
 * The sentence in which a transition is described: a sign, a tone, the text, its general cause, and values for the places of both.
 * @typedef {{ glyph: string, tone: string, text: string, reason: string, values: Values }} Sentence
 */

/** @import { Kind, TransitionOf, Values } from "./catalogue/types.js" */

/**
 * For kinds of transitions the function that describes one; `n` is how many messages it concerns.
 * @typedef {{ [K in Kind]?: (t: TransitionOf<K>, n: number, atUs: number | null) => Sentence }} Words
 * One step of a transition that consists of several; `off` where it did nothing.
 * @typedef {{ title: string, detail: string, value: number, off: boolean }} Step
 * For kinds that all queues have, the general cause that holds for one kind of queue.
 * @typedef {{ [K in Kind]?: (t: TransitionOf<K>) => string }} Reasons
 * @param {string} glyph
 * @param {string} tone
 * @param {string} text
 */

export const sentence = (glyph, tone, text, reason = "", values = {}) => ({ glyph, tone, text, reason, values });

/**
 * Values for the places of a sentence about messages that change their lane.
 * @param {{ source: string | null, to: string | null }} t
 */
export const lanePhrase = (t) => ({ source: t.source ?? gettext("outside"), to: t.to ?? gettext("outside") });
