/** The reader's work so far, kept in this tab until the next step: a reload or a visit to another page loses nothing. */

export class Draft {
  /**
   * @param {Pick<Storage, "getItem" | "setItem">} store
   * @param {string} key which step of which exercise with which numbers
   */
  constructor(store, key) {
    this.store = store;
    this.key = `draft ${key}`;
  }

  /** @returns {Record<string, string>} values by the names of fields; empty where nothing is kept */
  read() {
    try {
      const found = JSON.parse(this.store.getItem(this.key) ?? "{}");
      return found && typeof found === "object" && !Array.isArray(found) ? found : {};
    } catch {
      return {};
    }
  }

  /** @param {Record<string, string>} values */
  write(values) {
    try {
      this.store.setItem(this.key, JSON.stringify(values));
    } catch {
      // a full or forbidden store keeps no drafts
    }
  }

  /**
   * Put a draft back into selects; what a select does not offer is passed over.
   * @param {Iterable<HTMLSelectElement>} selects
   */
  restore(selects) {
    const values = this.read();
    for (const select of selects) {
      const value = values[select.name];
      if (typeof value === "string" && [...select.options].some((option) => option.value === value)) select.value = value;
    }
  }

  /** @param {Iterable<HTMLSelectElement>} selects */
  keep(selects) {
    this.write(Object.fromEntries([...selects].map((select) => [select.name, select.value])));
  }
}
