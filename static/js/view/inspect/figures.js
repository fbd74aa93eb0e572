/** Pasted figures: each queue as its places from the tail to the head, above and below the waterline, and what needs attention. */
import { listingRows, questionWords } from "../../model/inspect-words.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";
import { answerTable } from "./verdict.js";

/** @import { FigureLane, Figures, ListingAnswer } from "../../model/inspect-words.js" */

/** @param {FigureLane} given */
function lane([name, count, share, where]) {
  const box = el("div.figure-lane", { "data-where": where }, el("span.figure-bar", { "aria-hidden": "true" }), el("b.mono", {}, name), el("span.num", {}, count === null ? "?" : number(count)));
  box.style.setProperty("--share", `${share}%`);
  return box;
}

/**
 * One queue's card.
 * @param {Figures} given
 */
function figureCard({ name, lanes, questions }) {
  return el("section.card.pad.figures", {},
    el("h2.mono", {}, name),
    el("div.figure", { role: "group", "aria-label": gettext("Messages in each place") }, ...lanes.map(lane)),
    el("p.dim", {}, gettext("From the tail to the head. Above the line the content is in RAM; at the line it is on disk, and RAM has the index entry; below it all is on disk.")),
    questions.length
      ? el("ul.questions", {}, ...questions.map(([code, values]) => el("li", {}, questionWords(code, values))))
      : el("p.mid", {}, gettext("Nothing in these figures asks for attention.")));
}

/**
 * What of a listing was not read; nothing where all of it was.
 * @param {ListingAnswer} given
 */
function notRead({ left_out: lines, left_out_count: count, columns, more, rest }) {
  const notes = [
    more ? fill(ngettext("%(n)s more queue is in the text; only the first ones are shown.", "%(n)s more queues are in the text; only the first ones are shown.", more), { n: number(more) }) : "",
    rest ? fill(ngettext("The last character of the text was not read.", "The last %(n)s characters of the text were not read.", rest), { n: number(rest) }) : "",
    columns.length ? fill(gettext("Columns that are not used: %(names)s."), { names: columns.join(", ") }) : "",
    count ? fill(gettext("Lines without a status that can be read: %(n)s."), { n: number(count) }) : "",
  ].filter((note) => note);
  if (!notes.length) return [];
  const named = lines.map(({ line, text }) => el("li", {}, el("b.num", {}, number(line)), " ", el("code", {}, text)));
  return [el("section.card.pad", { "data-left-out": "" }, el("h2", {}, gettext("What was not read")), ...notes.map((note) => el("p", {}, note)), el("ul.damage", {}, ...named))];
}

/**
 * The cards of all queues, and what of the text was not read.
 * @param {ListingAnswer} given
 */
export function listingCards(given) {
  const answer = answerTable(listingRows(given.figures), gettext("What each queue of this listing asks for"), [gettext("Queue"), gettext("Messages"), gettext("In RAM"), gettext("What to look at first")]);
  return [
    el("section.card.pad.inspect-report", { "aria-labelledby": "report-heading" }, el("h2", { id: "report-heading", tabindex: -1 }, gettext("Where the messages are")), answer),
    ...given.figures.map(figureCard), ...notRead(given)];
}
