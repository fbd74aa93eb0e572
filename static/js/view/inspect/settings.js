/** A pasted configuration as the settings of a session: those that were taken over, and the keys that were not, with the reason. */
import { gettext } from "../../model/text.js";
import { el } from "../base/dom.js";
import { configurationRows } from "../../model/next-release-words.js";
import { nextReleases } from "./next-release.js";
import { answerTable, leftOut } from "./verdict.js";

/** @import { SettingsAnswer } from "../../model/inspect-words.js" */

/**
 * @param {SettingsAnswer} answer
 * @param {Record<string, string>} sentences
 * @param {(Node | null)[]} actions
 */
export function settingsCard({ settings, left_out: named, left_out_count: count, next }, sentences, actions) {
  return el("section.card.pad.inspect-report", { "aria-labelledby": "report-heading" },
    el("div.heading", {}, el("h2", { id: "report-heading", tabindex: -1 }, gettext("The settings of a session")), el("span.spacer"), ...actions),
    next
      ? answerTable(configurationRows(next), gettext("Whether a node starts with this configuration"), [gettext("Start of"), gettext("Does it start?"), gettext("Lines without effect"), gettext("What to do first")])
      : el("p", {}, gettext("The text says how a node ran. Whether 4.x starts with its configuration is answered for rabbitmq.conf and advanced.config.")),
    el("ul.damage", {}, ...Object.entries(settings).map(([name, value]) => el("li", {}, el("code", {}, name), " ", el("b.mono", {}, JSON.stringify(value))))),
    nextReleases(next ?? []),
    leftOut(named, count, sentences));
}
