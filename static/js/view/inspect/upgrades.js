/** The rehearsal of an upgrade, below the report on a broker's files: a section that can be printed alone. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { filesWords, gateWords, orderlyWords, outcomeWords, releaseWords, targetName, targetNotes, totalsWords, workWords } from "../../model/upgrade-words.js";
import { el, find, findAll } from "../base/dom.js";
import { table } from "./tables.js";

/**
 * @import { Coded } from "../../model/inspect-words.js"
 * @import { OrderlyStop, Outcome, Upgrade, UpgradedQueue } from "../../model/upgrade-words.js"
 */

/**
 * What the section knows besides: who wrote the files, the engine's sentences by code, and how a start is stepped through.
 * @typedef {{ source: string, sentences: Record<string, string>, step: (target: string, stopped?: boolean) => void }} About
 */

/** @param {number | null} value */
const counted = (value) => (value === null ? "?" : number(value));

/** What is printed is printed whole, and folded again afterwards. */
function unfold() {
  const folded = findAll("details:not([open])").filter((each) => each.closest(".upgrades") ?? find(".upgrades", each));
  for (const each of folded) each.setAttribute("open", "");
  window.addEventListener("afterprint", () => folded.forEach((each) => each.removeAttribute("open")), { once: true });
}

/** Print this section and nothing else of the page. */
function printAlone() {
  document.body.dataset.prints = "upgrades";
  window.addEventListener("afterprint", () => delete document.body.dataset.prints, { once: true });
  window.print();
}

/**
 * @param {string} caption
 * @param {UpgradedQueue[]} rows
 * @param {(row: UpgradedQueue) => Outcome | null} of
 */
function queues(caption, rows, of) {
  return table(
    caption,
    [[gettext("Queue")], [gettext("Messages before"), true], [gettext("Messages afterwards"), true], [gettext("Order")], [gettext("Redelivered"), true]],
    rows.map((each) => [each.name, counted(each.before), ...outcomeWords(of(each))]),
  );
}

const later = () => gettext("Opens in a new tab; this report stays open");

/**
 * What comes before each upgrade: the release that wrote the files stops in order.
 * @param {OrderlyStop} stop
 * @param {About} about
 */
function orderlyStop(stop, { source, sentences, step }) {
  return el("details", { "data-orderly": stop.found ? "found" : "played" }, el("summary", {}, el("b", {}, gettext("First, an orderly stop")), " ", releaseWords(source)),
    el("ul.damage", {}, ...orderlyWords(stop, sentences).map((text) => el("li", {}, text))),
    stop.failure || stop.found ? null : el("button.btn.small", { type: "button", onclick: () => step("", true), title: later() }, gettext("Step through this stop")));
}

/**
 * One target: the gate, the queues, the files, and what is to be known besides.
 * @param {Upgrade} upgrade
 * @param {About} about
 */
function target(upgrade, { source, sentences, step }) {
  const { target: name, is_back: isBack, policy, failure, unplayed, queues: rows, files, work, orderly } = upgrade;
  const byPolicy = policy !== null;
  const failed = (/** @type {Coded} */ why) => el("p.error", {}, fill(gettext("A start would fail: %(failure)s"), { failure: codedWords(why, sentences) }));
  const caption = byPolicy ? gettext("Queues after a crash and a start, before and after the policy") : fill(gettext("Queues after a crash: before it in %(source)s, after it in %(target)s"), { source: releaseWords(source), target: targetName(name) });
  const list = (/** @type {string[]} */ texts) => el("ul.damage", {}, ...texts.map((text) => el("li", {}, text)));
  if (unplayed) {
    const why = fill(gettext("This release was not rehearsed: %(why)s."), { why: codedWords(unplayed, sentences) });
    return el("details", { "data-upgrade": name }, el("summary", {}, el("b", {}, targetName(name)), " ", outcome(upgrade), totals(upgrade)),
      list(gateWords(upgrade)), el("p.error", {}, why), besides(targetNotes(source, upgrade)));
  }
  const result = () => (failure ? failed(failure) : queues(caption, rows, (each) => each));
  const stopped = () => (orderly?.failure ? failed(orderly.failure) : queues(gettext("Queues after an orderly stop of the release that wrote the files"), rows, (each) => each.orderly));
  return el("details", { "data-upgrade": name }, el("summary", {}, el("b", {}, targetName(name)), " ", outcome(upgrade), totals(upgrade)),
    list(gateWords(upgrade)),
    isBack ? null : result(),
    isBack ? null : list([...workWords(work, byPolicy), ...files.map(filesWords)]),
    isBack || !(orderly || rows.some((each) => (each.orderly?.after ?? null) !== null)) ? null : stopped(),
    orderly ? list(workWords(orderly.work)) : null,
    besides(targetNotes(source, upgrade)),
    isBack ? null : el("button.btn.small", { type: "button", onclick: () => step(name), title: later() }, byPolicy ? gettext("Step through this conversion") : gettext("Step through this start")),
    " ",
    orderly ? el("button.btn.small", { type: "button", onclick: () => step(name, true), title: later() }, orderly.second ? gettext("Step through the second start after an orderly stop; the first one fails") : gettext("Step through the start after an orderly stop")) : null);
}

/**
 * What one reads of a target without opening it.
 * @param {Upgrade} upgrade
 */
function totals(upgrade) {
  const words = totalsWords(upgrade);
  return words.length ? el("span.totals", {}, words.join("; ")) : null;
}

/**
 * What is to be known besides, folded by itself: most of it is the same for each of today's releases.
 * @param {string[]} notes
 */
function besides(notes) {
  if (!notes.length) return null;
  const head = fill(gettext("What else is different (%(n)s)"), { n: number(notes.length) });
  return el("details.besides", {}, el("summary", {}, head), el("ul.damage", {}, ...notes.map((text) => el("li", {}, text))));
}

/**
 * How it goes, in a word behind the target's name.
 * @param {Upgrade} upgrade
 */
function outcome({ is_back: isBack, policy, gate }) {
  if (isBack) return gettext("(no way back)");
  if (policy !== null) return gettext("(while the node runs)");
  return gate.accepted ? gettext("(starts)") : gettext("(refuses to start as things are)");
}

/**
 * The whole section, nothing where no upgrade was rehearsed.
 * @param {OrderlyStop | null} orderly
 * @param {Upgrade[]} upgrades
 * @param {About} about
 */
export function upgradesOf(orderly, upgrades, about) {
  if (!upgrades.length) return null;
  window.addEventListener("beforeprint", unfold);
  return el("section.upgrades", { "aria-labelledby": "upgrades-heading" },
    el("div.heading", {}, el("h3", { id: "upgrades-heading" }, gettext("What would an upgrade do to these queues?")), el("span.spacer"),
      el("button.btn.small", { type: "button", onclick: printAlone }, gettext("Print the rehearsal"))),
    el("p.mid", {}, fill(gettext("%(release)s wrote the files. Each release below was started on a copy of them, by the engine of this site. If a node refuses to start, the tables show what the release would do if it did start."), { release: releaseWords(about.source) })),
    orderly && upgrades.some((each) => !each.is_back) ? orderlyStop(orderly, about) : null,
    ...upgrades.map((each) => target(each, about)));
}
