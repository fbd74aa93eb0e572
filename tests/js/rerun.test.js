import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../../static/js/model/history.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { Session } from "../../static/js/model/session.js";
import { Rerun } from "../../static/js/net/rerun.js";
import { published, started } from "./feed.js";

/** A reading whose run has as many messages as its number says; each answer comes when the test lets it. */
function reading() {
  const session = new Session(new History());
  const playhead = new Playhead(session);
  const requested = [];
  const request = (query) =>
    new Promise((answer, fail) => {
      const count = Number(new URLSearchParams(query).get("a"));
      const rows = [...started, ...published(0, count)];
      const run = { rows, at_us: rows.map((_row, at) => at * 1000), until_us: 2_000_000 };
      requested.push({ query, answer: () => answer(run), fail: () => fail(new Error("503")) });
    });
  const messages = () => {
    playhead.now();
    return playhead.state.queues.orders.lanes.q4.reduce((all, [, count]) => all + count, 0);
  };
  return { rerun: new Rerun(session, request), session, requested, messages };
}

test("a dragged number moves the run", async () => {
  const { rerun, session, requested, messages } = reading();
  for (const number of ["4", "9", "2"]) {
    const played = rerun.play([["a", number], ["b", "1"]]);
    assert.equal(requested.at(-1).query, `a=${number}&b=1`);
    requested.at(-1).answer();
    assert.ok(await played);
    assert.equal(messages(), Number(number));
    assert.equal(session.nowUs, 2_000_000);
  }
});

test("while somebody drags, only the last number counts, whichever answer comes last", async () => {
  const { rerun, requested, messages } = reading();
  const played = ["3", "5", "8"].map((number) => rerun.play([["a", number]]));
  requested[2].answer();
  requested[0].answer();
  requested[1].fail();
  assert.deepEqual((await Promise.all(played)).map(Boolean), [false, false, true]);
  assert.equal(messages(), 8);
});

test("a run that cannot be played leaves the one before, and the next number plays again", async () => {
  const { rerun, requested, messages } = reading();
  const before = rerun.play([["a", "6"]]);
  requested[0].answer();
  await before;
  const refused = rerun.play([["a", "7"]]);
  requested[1].fail();
  await assert.rejects(refused, /503/);
  assert.equal(messages(), 6);
  const after = rerun.play([["a", "7"]]);
  requested[2].answer();
  await after;
  assert.equal(messages(), 7);
});
