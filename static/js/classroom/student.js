/** What the teacher does for everybody: freeze, push a state, open a vote. */
import { follow } from "./link.js";

const bar = document.querySelector("[data-class-bar]");
const veil = document.querySelector("[data-class-veil]");
const link = bar.querySelector("[data-vote-link]");
const PUSHED = "class-pushed";
const VOTED = "class-vote";
let shownVote;

// The veil goes when the teacher says so, not with Escape.
veil.addEventListener("cancel", (event) => event.preventDefault());

/** The first message after a load tells how things are; what was seen before does not lead anywhere again. */
function told(message) {
  freeze(message.frozen);
  push(message.push);
  vote(message.vote);
}

function freeze(frozen) {
  if (frozen && !veil.open) veil.showModal();
  else if (!frozen && veil.open) veil.close();
}

function push(pushed) {
  if (!pushed || sessionStorage.getItem(PUSHED) === pushed.at) return;
  const fresh = Date.now() - Date.parse(pushed.at) < 60_000;
  sessionStorage.setItem(PUSHED, pushed.at);
  if (fresh) location.assign(`/r/${pushed.id}/`);
}

function vote(now) {
  const key = now ? `${now.id} ${now.stage}` : "";
  link.hidden = !now;
  const onPage = document.querySelector("[data-vote-page]") !== null;
  if (onPage && shownVote !== undefined && shownVote !== key) location.assign(bar.dataset.voteAddress);
  else if (!onPage && now?.stage === "first" && sessionStorage.getItem(VOTED) !== String(now.id)) {
    sessionStorage.setItem(VOTED, String(now.id));
    location.assign(bar.dataset.voteAddress);
  }
  shownVote = key;
}

follow("/ws/class/me/", told);
