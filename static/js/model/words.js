/**
 * Where the words of the glossary come in a text, by the rule of playground/verdicts/__init__.py.
 * @param {string} word
 */

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * A pattern for any of these words: Latin ones stand alone, also inside of Chinese, which has no spaces.
 * @param {Record<string, string>} words
 */
function patternOf(words) {
  const longestFirst = Object.keys(words).sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![A-Za-z0-9_.-])(?:${longestFirst.map(escaped).join("|")})(?![A-Za-z0-9_]|-[a-z])`, "gi");
}

/**
 * The text in pieces [{text, anchor}], anchor null outside of words.
 *
 * `words` is {word in lower case: anchor}; a word whose anchor is in `seen` is not marked again.
 * @param {string} text
 * @param {Record<string, string>} words
 */
export function pieces(text, words, seen = new Set()) {
  if (!words || !Object.keys(words).length) return [{ text, anchor: null }];
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(patternOf(words))) {
    const anchor = words[found[0].toLowerCase()];
    if (seen.has(anchor)) continue;
    seen.add(anchor);
    if (found.index > last) parts.push({ text: text.slice(last, found.index), anchor: null });
    parts.push({ text: found[0], anchor });
    last = found.index + found[0].length;
  }
  if (last < text.length) parts.push({ text: text.slice(last), anchor: null });
  return parts;
}
