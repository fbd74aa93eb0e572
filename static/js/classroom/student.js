/** What the teacher does for everybody: freeze, push a state, open a vote. */
import { fill, gettext } from "../model/text.js";
import { dataOf, find, need, setText, show } from "../view/base/dom.js";
import { countDown } from "./countdown.js";
import { follow } from "./link.js";

/** @import { ClassMessage, Pushed, VoteNow } from "./link.js" */

const bar = need("[data-class-bar]");
const veil = need("[data-class-veil]", HTMLDialogElement);
const link = need("[data-vote-link]", bar);
const state = need("[data-push-link]", HTMLAnchorElement, bar);
const notice = find("[data-class-notice]", bar);
const PUSHED = "class-pushed";
const VOTED = "class-vote";

let frozen = false;

// Only the teacher ends the freeze, not Escape; a browser may still close the dialog at the second Escape, so it is opened again.
veil.addEventListener("cancel", (event) => event.preventDefault());
veil.addEventListener("close", () => {
  if (frozen) veil.showModal();
});

/**
 * The first message after a load gives the present situation; what this page has followed before is not opened a second time.
 * @param {ClassMessage} message
 */
function receive(message) {
  frozen = message.frozen;
  if (frozen && !veil.open) veil.showModal();
  else if (!frozen && veil.open) veil.close();
  if (handedOut(message.handed)) return;
  pushedLink(message.push);
  writeNote(message.ended ? gettext("The lesson is over.") : "");
  // One message may carry both; the page of a vote that has ended must not stand in the way of the pushed state.
  if (!push(message.push)) vote(message.vote);
}

/**
 * The list of exercises is loaded again when the teacher hands out others, a question of a test when the test has ended.
 * @param {string[]} slugs
 * @returns {boolean} whether it is
 */
function handedOut(slugs) {
  const list = find("[data-handed]");
  const test = find("[data-paper]");
  const same = !list || list.dataset.handed === slugs.join(" ");
  if (same && (!test || slugs.includes(dataOf(test, "paper")))) return false;
  location.reload();
  return true;
}

/**
 * Where a pushed state opens: at its moment, or at the beginning of a run that has a story.
 * @param {Pushed} pushed
 */
function addressOf({ id, at_us: atUs }) {
  return atUs === null ? `/r/${id}/` : `/r/${id}/?at=${atUs}`;
}

/**
 * A student who comes late finds the state that the teacher pushed, and from whom it is.
 * @param {Pushed | null} pushed
 */
function pushedLink(pushed) {
  show(state, Boolean(pushed));
  if (!pushed) return;
  state.href = addressOf(pushed);
  setText(state, fill(gettext("State pushed by %(teacher)s"), { teacher: pushed.by }));
}

/** @param {string} text */
function writeNote(text) {
  show(notice, Boolean(text));
  setText(notice, text);
}

/**
 * Follow a state that is pushed while this tab is open; one that was there when the page came counts as followed.
 * @param {Pushed | null} pushed
 * @returns {boolean} whether the page is about to be left for it
 */
function push(pushed) {
  const followed = sessionStorage.getItem(PUSHED);
  const now = pushed?.at ?? "";
  if (followed === now) return false;
  sessionStorage.setItem(PUSHED, now);
  if (followed === null || !pushed) return false;
  location.assign(addressOf(pushed));
  return true;
}

/**
 * On the page of the vote, follow its stages; elsewhere, a vote that begins leads there once.
 * @param {VoteNow | null} now
 */
function vote(now) {
  const key = now ? `${now.id} ${now.stage}` : "";
  const page = find("[data-vote-page]");
  link.hidden = !now || page !== null;
  if (page) {
    if (page.dataset.votePage !== key) location.assign(dataOf(bar, "voteAddress"));
  } else if (now?.stage === "first" && sessionStorage.getItem(VOTED) !== String(now.id)) {
    sessionStorage.setItem(VOTED, String(now.id));
    location.assign(dataOf(bar, "voteAddress"));
  }
}

follow("/ws/class/me/", receive, (status) => {
  if (status === "ended") writeNote(gettext("You are no longer in this class, or it was deleted."));
});
countDown(() => {
  if (find("[data-paper]")) location.reload();
  else location.assign(dataOf(bar, "voteAddress"));
});
