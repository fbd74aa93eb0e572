/** A pasted configuration as the settings of a session: those that were taken over, and the keys that were not, with the reason. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";
import { nextReleases } from "./next-release.js";

/** @import { SettingsAnswer } from "../../model/inspect-words.js" */

/**
 * @param {SettingsAnswer} answer
 * @param {Record<string, string>} sentences
 * @param {(Node | null)[]} actions
 */
export function settingsCard({ settings, left_out: leftOut, left_out_count: count, next }, sentences, actions) {
  return el("section.card.pad", { "aria-labelledby": "report-heading" },
    el("div.heading", {}, el("h2", { id: "report-heading", tabindex: -1 }, gettext("The settings of a session")), el("span.spacer"), ...actions),
    el("ul.damage", {}, ...Object.entries(settings).map(([name, value]) => el("li", {}, el("code", {}, name), " ", el("b.mono", {}, JSON.stringify(value))))),
    nextReleases(next),
    count
      ? el("details", { open: "" }, el("summary", {}, fill(gettext("Left out, and why: %(count)s"), { count: number(count) })),
        el("ul", {}, ...leftOut.map(([name, why]) => el("li", {}, el("code", {}, name), `: ${codedWords(why, sentences)}`))))
      : null);
}
