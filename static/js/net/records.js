/** Questions for records of the session's real files. Small, one at a time for each side. */

/** Ask for a record; gives {record}, {waiting}, {error} or null when a later question overtook it. */
export class Records {
  constructor(url) {
    this.url = url;
    /** @type {Record<string, AbortController>} by side */
    this.running = {};
  }

  async ask(side, question) {
    this.running[side]?.abort();
    const control = new AbortController();
    this.running[side] = control;
    try {
      const answer = await fetch(`${this.url}?${new URLSearchParams(question)}`, {
        headers: { accept: "application/json" },
        signal: control.signal,
      });
      const told = await answer.json();
      if (!answer.ok) return { error: told.error || String(answer.status) };
      return told.fields ? { record: told } : { waiting: told.waiting };
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      return name === "AbortError" ? null : { error: message };
    }
  }
}
