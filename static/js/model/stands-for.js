/** What a control stands for: the lines of rabbitmqctl, of a configuration file or of a client, with the values now. */
import { shownDeclared } from "./shown.js";

/** @import { RunSnapshot, Values } from "./catalogue/types.js" */

/**
 * What a control stands for: a command of rabbitmqctl, or a line of a file; `runtime` when a restart forgets it.
 * @typedef {{ command?: string, line?: string, file: string, runtime?: boolean }} StandsFor
 */

/** @typedef {{ where: string, text: string, forgotten: boolean | undefined }} StandsForLine a line as it is shown */

/**
 * Values that many lines need, from the state and from the fields of the page.
 * @param {RunSnapshot} state
 * @param {Values} [fields]
 */
function valuesNow(state, fields = {}) {
  const settings = state.node?.settings ?? {};
  return {
    ...settings,
    queue: shownDeclared(state) ?? "orders",
    exchange: '""',
    routing_key: shownDeclared(state) ?? "orders",
    delivery_mode: fields.persistent ? 2 : 1,
    no_ack: fields.ack === "auto",
    multiple: fields.ack === "multiple",
    prefetch: fields.prefetch ?? 0,
    mode: settings.queue_mode ?? "default",
    ...fields,
  };
}

/** Fields of the forms, and the setting that each of them is in x-arguments (after "x-") and in policies. */
const FIELDS = { mode: "queue-mode", max_length: "max-length", max_priority: "max-priority", ttl: "message-ttl", dead_letter: "dead-letter-exchange" };

/**
 * The content of a form that declares something: its fields, with arguments and definition put together as JSON.
 * @param {Values} fields
 */
export function formWords(fields) {
  const given = Object.entries(FIELDS).filter(([name]) => fields[name] !== undefined && fields[name] !== "");
  /** @param {string} prefix */
  const asJson = (prefix) =>
    JSON.stringify(
      Object.fromEntries(
        given.map(([name, key]) => [prefix + key, /^\d+$/.test(fields[name]) ? Number(fields[name]) : fields[name]]),
      ),
    );
  /** @type {Values} */
  const made = { ...fields, mode: undefined, arguments: asJson("x-"), definition: asJson(""), apply_to: "queues" };
  return made;
}

const DECIMALS = 4;

/**
 * The value that a line's `{value}` shows for a setting.
 * @param {string} key
 * @param {RunSnapshot} state
 * @param {Values} values
 */
function settingNow(key, state, values) {
  if (key in values && !(key in (state.node?.settings ?? {}))) return values[key];
  if (key === "queue_mode") return values.mode;
  const name = key.split(".")[0];
  const value = state.node?.settings?.[name];
  if (typeof value === "object" && value !== null) return Object.values(value)[0];
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toFixed(DECIMALS)) : value;
}

/**
 * Fill `{name}`; doubled braces are braces. A place without a value keeps its name in angle brackets.
 * @param {string} line
 * @param {Values} values
 */
export function fillLine(line, values) {
  return line.replace(/\{\{|\}\}|\{(\w+)\}/g, (found, name) => {
    if (found === "{{") return "{";
    if (found === "}}") return "}";
    const value = values[name];
    return value === undefined || value === null ? `<${name}>` : String(value);
  });
}

/**
 * The entry for a value: a file may not take every value, and a limit may be written in several ways.
 * @param {string} key
 * @param {unknown} value
 */
function kindOf(key, value) {
  if (value !== null && typeof value === "object") return `${key}.${Object.keys(value)[0]}`;
  return typeof value === "number" && value >= 1 ? `${key}.from_1` : key;
}

/**
 * The lines of some keys: [{text, where}], where is "rabbitmqctl", a file's name or "client".
 * @param {string[]} keys
 * @param {Record<string, StandsFor>} table
 * @param {RunSnapshot} state
 * @param {Values} fields
 * @returns {StandsForLine[]}
 */
export function linesOf(keys, table, state, fields) {
  const common = valuesNow(state, fields);
  /** @type {StandsForLine[]} */
  const lines = [];
  for (const key of keys) {
    const stands = table[kindOf(key, state.node?.settings?.[key])] ?? table[key];
    if (!stands) continue;
    const values = { ...common, value: settingNow(key, state, common) };
    if (stands.command)
      lines.push({ where: "rabbitmqctl", text: fillLine(stands.command, values), forgotten: stands.runtime });
    if (stands.line) lines.push({ where: stands.file, text: fillLine(stands.line, values), forgotten: false });
  }
  return lines.filter((line, place) => lines.findIndex((other) => other.text === line.text) === place);
}
