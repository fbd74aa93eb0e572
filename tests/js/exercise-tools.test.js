import assert from "node:assert/strict";
import { test } from "node:test";
import { forbidden, SETTINGS, VERBS } from "../../static/js/exercises/allowed.js";
import { Draft } from "../../static/js/exercises/drafts.js";

const store = () => {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
};
const select = (name, ...values) => ({ name, value: "", options: values.map((value) => ({ value })) });

test("a draft comes back into its own step only", () => {
  const kept = store();
  const place = select("place-1", "q3", "q4");
  place.value = "q3";
  new Draft(kept, "first-paging 0 0 0").keep([place]);
  const again = select("place-1", "q3", "q4");
  new Draft(kept, "first-paging 0 1 0").restore([again]);
  assert.equal(again.value, "");
  new Draft(kept, "first-paging 0 0 0").restore([again]);
  assert.equal(again.value, "q3");
});

test("what a select does not offer, and what is no draft, is passed over", () => {
  const kept = store();
  const draft = new Draft(kept, "x");
  draft.write({ "place-1": "moon" });
  const place = select("place-1", "q3");
  draft.restore([place]);
  assert.equal(place.value, "");
  for (const broken of ["[1]", "null", "{", "7"]) {
    kept.setItem("draft x", broken);
    assert.deepEqual(draft.read(), {}, broken);
  }
});

test("only the controls of verbs that are allowed stay as they are", () => {
  const grey = forbidden({ verbs: ["publish", "get"], forbidden_settings: [] });
  for (const each of [...VERBS.publish, ...VERBS.get]) assert.ok(!grey.includes(each), each);
  for (const each of [...VERBS.restart, ...VERBS.set]) assert.ok(grey.includes(each), each);
});

test("what a phone has below its thumbs is greyed like the controls", () => {
  const grey = forbidden({ verbs: ["publish"], forbidden_settings: [] });
  assert.ok(grey.includes("[data-act=dock-consume]"));
  assert.ok(!grey.includes("[data-act=dock-publish]"));
});

test("without a list of verbs everything is allowed but the forbidden settings", () => {
  assert.deepEqual(forbidden({ verbs: [], forbidden_settings: [] }), []);
  assert.deepEqual(forbidden({ verbs: [], forbidden_settings: ["queue_mode"] }), SETTINGS.queue_mode);
});

test("the topology is greyed unless something in it may be done: a queue declared, an exchange bound, a policy set", () => {
  const grey = (...verbs) => forbidden({ verbs, forbidden_settings: [] });
  for (const opens of ["[data-act=topology]", "[data-open-topology]"]) {
    assert.ok(grey("publish", "get").includes(opens), opens);
    for (const verb of ["declare_queue", "declare_exchange", "bind", "set_policy", "delete_queue"])
      assert.ok(!grey("publish", verb).includes(opens), `${opens} for ${verb}`);
  }
});
