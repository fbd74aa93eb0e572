/** The table of what differs in the end: values as people read them, and how B stands to A. Pure. */
import { bytes, decimal, fill, gettext, number, signed } from "../model/text.js";

/** @typedef {{ name: string, label: string, kind: string, better?: string, always: boolean }} FigureLabel how a figure is called and written, and which direction is better */

/** @typedef {number | null | undefined} Figure */

/**
 * Lines of the table: [{label, values, change, verdict, differs, matters}], those that differ first; change and verdict are of the
 * second run.
 * @param {FigureLabel[]} labels
 * @param {Record<string, Figure>[]} sides
 */
export function figureLines(labels, sides) {
  const [a, b] = sides;
  /** @param {string} name */
  const differs = (name) => sides.some((side) => side[name] !== a[name]);
  const lines = labels
    .filter((each) => a[each.name] !== undefined && (each.always || differs(each.name)))
    .map((each) => ({
      label: each.label,
      values: sides.map((side) => written(each.kind, side[each.name])),
      change: change(each.kind, a[each.name], b[each.name]),
      verdict: verdict(each.better, a[each.name], b[each.name]),
      differs: differs(each.name),
      matters: matters(sides.map((side) => side[each.name])),
    }));
  return [...lines.filter((line) => line.differs), ...lines.filter((line) => !line.differs)];
}

/** The largest value of a line that matters is at least so many times the smallest. */
const MATTERS = 1.1;

/**
 * Whether a reader should hear of a difference first: a tenth or more, or something where another run has nothing.
 * @param {Figure[]} values
 */
function matters(values) {
  if (values.some((value) => typeof value !== "number")) return new Set(values).size > 1;
  const sizes = values.map((value) => Math.abs(Number(value)));
  return Math.max(...sizes) > MATTERS * Math.min(...sizes);
}

/** So many figures that differ are told above the stages. */
const ANSWERS = 2;

/**
 * The answer above the stages: the first of the figures that differ by something that matters, else of those that differ at all.
 * @param {ReturnType<typeof figureLines>} lines
 * @param {string[]} names of the runs
 */
export function answerOf(lines, names) {
  const apart = lines.filter(({ values }) => new Set(values).size > 1);
  const first = apart.filter((line) => line.matters);
  const told = (first.length ? first : apart).slice(0, ANSWERS).map((line) => figureWords(line, names));
  if (!told.length) return gettext("No figure differs in the end.");
  const text = told.join(" \u00b7 ");
  return text[0].toLocaleUpperCase() + text.slice(1);
}

/**
 * A line in words: each value with those that have it.
 * @param {{ label: string, values: string[] }} line
 * @param {string[]} names of the runs
 */
function figureWords({ label, values }, names) {
  const parts = [...new Set(values)].map((value) => `${value} (${names.filter((_, at) => values[at] === value).join(", ")})`);
  return `${label}: ${parts.join(", ")}`;
}

/**
 * @param {string} kind
 * @param {Figure} value
 */
function written(kind, value) {
  if (value === null || value === undefined) return "\u2013";
  if (kind === "bytes") return bytes(value);
  if (kind === "seconds") return `${decimal(value, 3)}\u202fs`;
  if (kind === "share") return `${decimal(100 * value, 1)}\u202f%`;
  if (kind === "rate") return `${decimal(value, 1)}\u202f/s`;
  return Number.isInteger(value) ? number(value) : decimal(value, 2);
}

/**
 * Whether B is better or worse than A, for figures in which the operator of a broker prefers one direction.
 * @param {string | undefined} better
 * @param {Figure} a
 * @param {Figure} b
 */
function verdict(better, a, b) {
  if (typeof a !== "number" || typeof b !== "number" || a === b || (better !== "lower" && better !== "higher"))
    return "";
  return b < a === (better === "lower") ? gettext("better") : gettext("worse");
}

/**
 * @param {string} kind
 * @param {Figure} a
 * @param {Figure} b
 */
function change(kind, a, b) {
  if (a === b) return gettext("alike");
  if (typeof a !== "number" || typeof b !== "number") return "";
  const ratio = a > 0 && b > 0 ? b / a : 0;
  if (ratio >= 2 || (ratio > 0 && ratio <= 0.5))
    return fill(gettext("%(times)s times"), { times: decimal(ratio, ratio < 0.1 ? 3 : 2) });
  const difference = b - a;
  if (Number.isInteger(difference) && !["bytes", "seconds", "share"].includes(kind)) return signed(difference);
  return `${difference > 0 ? "+" : "\u2212"}${written(kind, Math.abs(difference))}`;
}
