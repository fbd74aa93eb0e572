/**
 * The sentence in which a transition is described: a sign, a tone, the text, its general cause, and values for the places of both.
 * @typedef {{ glyph: string, tone: string, text: string, reason: string, values: Values }} Sentence
 */

/** @import { Kind, TransitionOf, Values } from "./catalogue/types.js" */

/**
 * For kinds of transitions the function that describes one; `n` is how many messages it concerns.
 * @typedef {{ [K in Kind]?: (t: TransitionOf<K>, n: number) => Sentence }} Words
 * @param {string} glyph
 * @param {string} tone
 * @param {string} text
 */

export const sentence = (glyph, tone, text, reason = "", values = {}) => ({ glyph, tone, text, reason, values });
