/** The what-if page. htmx exchanges the view when a picker changes; this wakes each new view up. */
import { dataOf, find, listenerOf, need } from "../view/base/dom.js";
import { startGrid } from "./grid.js";

const tip = need("#whatif-tip");

function wake() {
  const root = find("#whatif");
  if (root && !root.dataset.awake) {
    root.dataset.awake = "yes";
    startGrid(root, tip);
    find("[data-copy-link]", root)?.addEventListener("click", copyLink);
  }
}

/**
 * Copies the address of exactly this view. Where copying is not possible, the link opens as links do.
 * @param {PointerEvent} event
 */
async function copyLink(event) {
  const link = listenerOf(event, HTMLAnchorElement);
  if (!navigator.clipboard || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  await navigator.clipboard.writeText(link.href);
  const words = link.textContent;
  link.textContent = dataOf(link, "copied");
  setTimeout(() => { link.textContent = words; }, 1600);
}

document.body.addEventListener("htmx:afterSettle", wake);
wake();
