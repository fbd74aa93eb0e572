/** The console's memory: lines written before, and names that complete what is being written. */

export const KEPT_LINES = 100;

export class History {
  constructor() {
    /** @type {string[]} */
    this.lines = [];
    this.at = 0;
    this.draft = "";
  }

  /**
   * Keep a line; the same one twice in a row is one.
   * @param {string} line
   */
  add(line) {
    if (line && this.lines.at(-1) !== line) this.lines.push(line);
    if (this.lines.length > KEPT_LINES) this.lines.shift();
    this.at = this.lines.length;
    this.draft = "";
  }

  /**
   * The line before (-1) or after (+1); after the newest comes the line that the reader was writing.
   * @param {number} by
   * @param {string} current
   */
  walk(by, current) {
    if (this.at === this.lines.length) this.draft = current;
    this.at = Math.min(this.lines.length, Math.max(0, this.at + by));
    return this.at === this.lines.length ? this.draft : this.lines[this.at];
  }
}

/**
 * Split a line into what stands before the last word, and that word.
 * @param {string} line
 */
function lastWord(line) {
  const start = line.search(/\S*$/);
  return [line.slice(0, start), line.slice(start)];
}

/** @param {string[]} names */
function commonStart(names) {
  let start = names[0];
  for (const name of names) while (!name.startsWith(start)) start = start.slice(0, -1);
  return start;
}

/**
 * Complete the last word: a command first, after it the columns it can show, or names of queues.
 * Gives {line, choices}: the line as far as it is certain, and what it could become.
 * @param {string} line
 * @param {Record<string, string[]>} commands
 * @param {string[]} names
 */
export function complete(line, commands, names) {
  const [before, word] = lastWord(line);
  const words = before.split(/\s+/).filter((each) => each && each !== "rabbitmqctl" && !each.startsWith("-"));
  const known = words.length === 0 || words[0] === "help" ? Object.keys(commands) : [...(commands[words[0]] ?? []), ...names];
  const choices = word ? known.filter((name) => name.startsWith(word)).sort() : [];
  if (choices.length === 0) return { line, choices: [] };
  const end = choices.length === 1 ? " " : "";
  return { line: before + commonStart(choices) + end, choices };
}
