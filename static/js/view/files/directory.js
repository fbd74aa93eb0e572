/** The node's directory beside the maps of the files: it grows and shrinks with the run. */
import { awaitsFirstRecord, directoryOf } from "../../model/directory.js";
import { bytes, gettext } from "../../model/text.js";
import { el, find, need, show } from "../base/dom.js";

/**
 * @import { FileLine } from "../../model/directory.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { FilesView } from "./files.js"
 */

export class DirectoryView {
  /**
   * `files` calls its listeners when the maps were drawn; `session` has the state that is shown.
   * @param {HTMLDialogElement} root
   * @param {HTMLElement} button
   * @param {Playhead} session
   * @param {FilesView} files
   */
  constructor(root, button, session, files) {
    this.root = root;
    this.button = button;
    this.session = session;
    this.mark = "";
    button.addEventListener("click", () => (root.open ? this.close() : this.open()));
    need("[data-act=close-directory]", root).addEventListener("click", () => this.close());
    root.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    files.listen(() => root.open && this.update());
  }

  open() {
    this.root.show();
    this.button.setAttribute("aria-expanded", "true");
    this.update();
  }

  close() {
    this.root.close();
    this.button.setAttribute("aria-expanded", "false");
    this.button.focus();
  }

  update() {
    const lines = directoryOf(this.session.state);
    const mark = JSON.stringify(lines);
    if (mark === this.mark) return;
    this.mark = mark;
    need("ul", this.root).replaceChildren(...lines.map((line) => this.line(line)));
    show(find("[data-soon]", this.root), awaitsFirstRecord(lines));
  }

  /** @param {FileLine} line */
  line({ depth, name, bytes: size, of }) {
    const note = size !== null ? bytes(size) : of;
    return el(
      "li",
      { "data-depth": String(depth) },
      el("span.mono", {}, name),
      note === null ? "" : el("small", { title: size === null ? gettext("whose directory this is") : "" }, note),
    );
  }
}
