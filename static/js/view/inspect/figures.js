/** Pasted figures: each queue as its places from the tail to the head, above and below the waterline, and what needs attention. */
import { questionWords } from "../../model/inspect-words.js";
import { gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";

/** @import { FigureLane, Figures } from "../../model/inspect-words.js" */

/** @param {FigureLane} given */
function lane([name, count, share, where]) {
  const box = el("div.figure-lane", { "data-where": where }, el("span.figure-bar", { "aria-hidden": "true" }), el("b.mono", {}, name), el("span.num", {}, number(count)));
  box.style.setProperty("--share", `${share}%`);
  return box;
}

/**
 * One queue's card.
 * @param {Figures} given
 */
export function figureCard({ name, lanes, questions }) {
  return el("section.card.pad.figures", {},
    el("h2.mono", {}, name),
    el("div.figure", { role: "group", "aria-label": gettext("Messages in each place") }, ...lanes.map(lane)),
    el("p.dim", {}, gettext("From the tail to the head. Above the line the content is in RAM; at the line it is on disk, and RAM has the index entry; below it all is on disk.")),
    questions.length
      ? el("ul.questions", {}, ...questions.map(([code, values]) => el("li", {}, questionWords(code, values))))
      : el("p.mid", {}, gettext("Nothing in these figures asks for attention.")));
}
