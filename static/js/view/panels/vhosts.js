/** Which virtual host the page shows, where the node has several: a choice that the address keeps. */
import { hostsOf, shownHost } from "../../model/hosts.js";
import { el, keepChildren, need, show } from "../base/dom.js";

/** @import { Playhead } from "../../model/playhead.js" */

/** The word for the virtual host in the page's address. */
const WORD = "vhost";

/** The virtual host that the address names, or null. */
export function addressed() {
  return new URLSearchParams(location.search).get(WORD) || null;
}

/**
 * The page's address with another virtual host in it.
 * @param {string} address
 * @param {string} vhost
 */
export function addressOf(address, vhost) {
  const url = new URL(address);
  url.searchParams.set(WORD, vhost);
  return url.href;
}

export class Vhosts {
  /**
   * @param {HTMLElement} root a label with a select in it
   * @param {Playhead} playhead
   */
  constructor(root, playhead) {
    this.root = root;
    this.playhead = playhead;
    this.select = need("select", HTMLSelectElement, root);
    this.names = "";
    this.select.addEventListener("change", () => location.assign(addressOf(location.href, this.select.value)));
  }

  update() {
    const known = hostsOf(this.playhead.state);
    const names = known.includes(shownHost()) ? known : [...known, shownHost()];
    if (this.names === names.join("\n")) return;
    this.names = names.join("\n");
    show(this.root, names.length > 1);
    keepChildren(this.select, names, (name) => el("option", { value: name }, name));
    this.select.value = shownHost();
  }
}
