/** The sentence in which a transition is described. */

export const sentence = (glyph, tone, text, reason = "", values = {}) => ({ glyph, tone, text, reason, values });
