/** Elements that stay: who presses one, or has the keyboard on it, loses nothing when another comes or goes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { keepChildren } from "../../static/js/view/base/dom.js";

/** As much of an element as the children of a list need; `moves` counts what is put somewhere. */
class Child {
  constructor(name) {
    this.name = name;
    this.dataset = {};
    this.parent = null;
  }

  remove() {
    this.parent.children.splice(this.parent.children.indexOf(this), 1);
  }
}

class List {
  children = [];
  moves = 0;

  insertBefore(child, next) {
    this.moves += 1;
    if (this.children.includes(child)) child.remove();
    child.parent = this;
    this.children.splice(next ? this.children.indexOf(next) : this.children.length, 0, child);
  }
}

const make = (key) => new Child(`made ${key}`);
const keysOf = (list) => list.children.map((each) => each.dataset.key);

test("what stands in a list stays the same element while others come and go", () => {
  const list = new List();
  keepChildren(list, ["", "logs", "audit"], make);
  assert.deepEqual(keysOf(list), ["", "logs", "audit"]);
  const [usual, logs, audit] = list.children;
  list.moves = 0;
  keepChildren(list, ["", "dead", "audit"], make);
  assert.deepEqual(keysOf(list), ["", "dead", "audit"]);
  assert.equal(list.children[0], usual);
  assert.equal(list.children[2], audit);
  assert.equal(list.moves, 1, "only the new one is put somewhere: an element that moves loses the keyboard");
  keepChildren(list, ["audit", "", "logs"], make);
  assert.deepEqual(keysOf(list), ["audit", "", "logs"]);
  assert.notEqual(list.children[2], logs, "what went and comes again is another");
  list.moves = 0;
  keepChildren(list, ["audit", "", "logs"], make);
  assert.equal(list.moves, 0);
});
