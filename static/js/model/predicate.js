/**
 * Statements about a state, as scenario files have them: a path, a comparison, a value. The same as
 * playground/storybook/predicate.py; tests/web/predicate_cases.json holds both to it.
 */

const DELTA = ["start", "count", "transient", "end"];
const FLAGS = { messages_in_ram: 2, messages_indexed: 8 };

const own = (object, name) => Object.prototype.hasOwnProperty.call(object, name);

/** The value at a path, or null where there is none. */
export function look(state, path) {
  const names = Array.isArray(path) ? path.map(String) : path.split(".");
  let value = state;
  let parent = "";
  for (const name of names) {
    value = step(value, name, parent);
    if (value === undefined) return null;
    parent = name;
  }
  return value;
}

function step(value, name, parent) {
  if (Array.isArray(value)) return ofList(value, name, parent);
  if (value !== null && typeof value === "object") {
    if (own(value, name)) return value[name];
    return name === "length" ? Object.keys(value).length : undefined;
  }
  return typeof value === "string" && name === "length" ? [...value].length : undefined;
}

function ofList(list, name, parent) {
  if (name === "length") return list.length;
  if (parent === "delta" && DELTA.includes(name)) return list[DELTA.indexOf(name)];
  if (/^\d+$/.test(name)) return list[Number(name)];
  const flag = FLAGS[name];
  if (name !== "messages" && flag === undefined) return undefined;
  return list.reduce((sum, row) => (flag === undefined || row[4] & flag ? sum + row[1] : sum), 0);
}

const ORDER = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** Whether two values stand in a relation; ordering needs two numbers. */
export function compare(found, op, wanted) {
  if (ORDER[op]) return typeof found === "number" && typeof wanted === "number" && ORDER[op](found, wanted);
  const same = found === wanted;
  return op === "!=" ? !same : same;
}

/** Whether a test holds in a state. */
export function holds(test, state) {
  if (test.all) return test.all.every((each) => holds(each, state));
  if (test.any) return test.any.some((each) => holds(each, state));
  let wanted = test.value ?? null;
  if (wanted !== null && typeof wanted === "object") wanted = look(state, wanted.path);
  return compare(look(state, test.path), test.op ?? "==", wanted);
}
