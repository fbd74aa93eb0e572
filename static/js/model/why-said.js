/** The shape in which a transition is told. */

export const said = (glyph, tone, text, reason = "", values = {}) => ({ glyph, tone, text, reason, values });
