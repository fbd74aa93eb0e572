/** What a control stands for: the lines of rabbitmqctl, of a configuration file or of a client, with the values now. */
import { shownDeclared } from "./shown.js";

/** Values that many lines need, from the state and from the fields of the page. */
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

/** What a form that declares something says: its fields, with arguments and definition put together as JSON. */
export function formWords(fields) {
  const given = Object.entries(FIELDS).filter(([name]) => fields[name] !== undefined && fields[name] !== "");
  const asJson = (prefix) =>
    JSON.stringify(
      Object.fromEntries(
        given.map(([name, key]) => [prefix + key, /^\d+$/.test(fields[name]) ? Number(fields[name]) : fields[name]]),
      ),
    );
  return { ...fields, mode: undefined, arguments: asJson("x-"), definition: asJson(""), apply_to: "queues" };
}

const DECIMALS = 4;

/** The value that a line's `{value}` shows for a setting. */
function settingNow(key, state, values) {
  if (key in values && !(key in (state.node?.settings ?? {}))) return values[key];
  if (key === "queue_mode") return values.mode;
  const name = key.split(".")[0];
  const value = state.node?.settings?.[name];
  if (typeof value === "object" && value !== null) return Object.values(value)[0];
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toFixed(DECIMALS)) : value;
}

/** Fill `{name}`; doubled braces are braces. A place without a value keeps its name in angle brackets. */
export function fillLine(line, values) {
  return line.replace(/\{\{|\}\}|\{(\w+)\}/g, (found, name) => {
    if (found === "{{") return "{";
    if (found === "}}") return "}";
    const value = values[name];
    return value === undefined || value === null ? `<${name}>` : String(value);
  });
}

/** The entry for a value: a file may not take every value, and a limit may be written in several ways. */
function kindOf(key, value) {
  if (value !== null && typeof value === "object") return `${key}.${Object.keys(value)[0]}`;
  return typeof value === "number" && value >= 1 ? `${key}.from_1` : key;
}

/** The lines of some keys: [{text, where}], where is "rabbitmqctl", a file's name or "client". */
export function linesOf(keys, table, state, fields) {
  const common = valuesNow(state, fields);
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
