/** The first thing in the report on a broker's files: one sentence that answers, and the few that belong to it. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";
import { table } from "./tables.js";

/**
 * @import { Coded } from "../../model/inspect-words.js"
 * @import { AnswerRow, Verdict } from "../../model/verdict-words.js"
 */

/** @returns {Record<Verdict["tone"], string>} a word for each tone, so that colour does not say it alone */
const signs = () => ({
  good: gettext("All there"),
  dropped: gettext("Persistent ones only"),
  none: gettext("Nothing comes back"),
  upgrade: gettext("An upgrade loses some"),
  bad: gettext("Something is lost"),
  fails: gettext("The start fails"),
  open: gettext("Look closer"),
});

/** @param {Verdict} verdict */
export function verdict({ tone, first, rest }) {
  return el("div.verdict", { "data-tone": tone },
    el("p.verdict-first", {}, el("span.chip", {}, signs()[tone]), " ", first),
    el("ul", {}, ...rest.map((text) => el("li", {}, text))));
}

/**
 * The answer as the first table of a report; what is bad says so in words and in red.
 * @param {AnswerRow[]} rows
 * @param {string} caption
 * @param {string[]} heads of the four columns
 */
export function answerTable(rows, caption = gettext("What each start does with these files"), heads = [gettext("Start of"), gettext("Does it start?"), gettext("Messages back"), gettext("What to do first")]) {
  if (!rows.length) return null;
  const marked = (/** @type {AnswerRow} */ { tone, back }) => el("b.answer", { "data-tone": tone }, back);
  return el("div.answers", {}, table(caption, heads.map((head) => [head]), rows.map((row) => [row.target, row.starts, marked(row), row.first])));
}

/**
 * What is left out of a text, and why: folded, null where it is nothing.
 * @param {[name: string, why: Coded][]} named the first ones
 * @param {number} count of all
 * @param {Record<string, string>} sentences
 */
export function leftOut(named, count, sentences) {
  const items = named.map(([name, why]) => el("li", {}, el("code", {}, name), `: ${codedWords(why, sentences)}`));
  return count ? folded(fill(gettext("Left out, and why: %(count)s"), { count: number(count) }), el("ul", {}, ...items)) : null;
}

/**
 * A part below the answer, folded until somebody wants it.
 * @param {string} head
 * @param {(Node | null)[]} content
 */
export function folded(head, ...content) {
  return content.some(Boolean) ? el("details.folded", {}, el("summary", {}, head), ...content) : null;
}
