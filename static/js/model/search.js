/** Finding an action by some words: every word must be there; the sooner, the better. Pure. */

/** @typedef {{ title: string, words?: string }} Item what can be found */

/** @param {string} text */
const plain = (text) => text.toLocaleLowerCase();

/**
 * Items that match, best first; without words all of them as they are. Each item has a `title`, perhaps `words`.
 * @template {Item} T
 * @param {T[]} items
 * @param {string} query
 */
export function search(items, query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (!words.length) return items;
  return items
    .map((item, at) => ({ item, at, score: scoreOf(item, words) ?? Infinity }))
    .filter(({ score }) => score < Infinity)
    .sort((a, b) => a.score - b.score || a.at - b.at)
    .map(({ item }) => item);
}

/**
 * @param {Item} item
 * @param {string[]} words
 */
function scoreOf(item, words) {
  const title = plain(item.title);
  const more = plain(item.words ?? "");
  let score = 0;
  for (const word of words) {
    const at = title.indexOf(word);
    if (at === 0) score += 0;
    else if (at > 0) score += /[\s(:,]/.test(title[at - 1]) ? 1 : 3;
    else if (more.includes(word)) score += 5;
    else return null;
  }
  return score;
}
