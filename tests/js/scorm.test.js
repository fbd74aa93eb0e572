/** What a learning platform of SCORM 1.2 is told, and in which order; the platform here only notes it down. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Lms, findApi, timespan } from "../../static/js/net/scorm.js";

class Platform {
  calls = [];
  values = { "cmi.core.lesson_status": "not attempted", "cmi.suspend_data": "", "cmi.core.student_id": "s-7" };
  refuses = null;
  code = "0";

  note(name, ...values) {
    this.calls.push([name, ...values]);
    const bad = name === this.refuses || values[0] === this.refuses;
    this.code = bad ? "101" : "0";
    return String(!bad);
  }

  LMSInitialize = (text) => this.note("LMSInitialize", text);
  LMSFinish = (text) => this.note("LMSFinish", text);
  LMSCommit = (text) => this.note("LMSCommit", text);
  LMSGetLastError = () => this.code;
  LMSGetErrorString = (code) => (code === "101" ? "General exception" : "");
  LMSGetValue = (name) => this.values[name] ?? "";
  LMSSetValue = (name, value) => {
    const taken = this.note("LMSSetValue", name, value);
    if (taken === "true") this.values[name] = value;
    return taken;
  };
}

function begun(platform, exercises = ["first-in", "first-out"]) {
  const reports = [];
  let now = 100;
  const lms = new Lms(platform, exercises, (words, trouble) => reports.push([words, trouble]), () => now);
  const who = lms.begin();
  return { lms, reports, who, wait: (seconds) => (now += seconds) };
}

test("the calls come in the standard's order: initialize, values, commit, finish", () => {
  const platform = new Platform();
  const { lms, who, wait } = begun(platform);
  assert.equal(who, "s-7");
  lms.worked({ exercise: "first-in", score: 1, done: true });
  wait(3725);
  lms.finish();
  lms.finish();
  assert.deepEqual(platform.calls, [
    ["LMSInitialize", ""],
    ["LMSSetValue", "cmi.core.lesson_status", "incomplete"],
    ["LMSCommit", ""],
    ["LMSSetValue", "cmi.core.score.min", "0"],
    ["LMSSetValue", "cmi.core.score.max", "100"],
    ["LMSSetValue", "cmi.core.score.raw", "50"],
    ["LMSSetValue", "cmi.core.lesson_status", "incomplete"],
    ["LMSSetValue", "cmi.suspend_data", '{"first-in":[1,true]}'],
    ["LMSCommit", ""],
    ["LMSSetValue", "cmi.core.session_time", "0001:02:05"],
    ["LMSSetValue", "cmi.core.exit", "suspend"],
    ["LMSCommit", ""],
    ["LMSFinish", ""],
  ]);
});

test("the last exercise completes it; a later visit goes on from what the platform kept, and takes nothing back", () => {
  const platform = new Platform();
  const first = begun(platform).lms;
  first.worked({ exercise: "first-in", score: 1, done: true });
  first.finish();
  const { lms, reports } = begun(platform);
  lms.worked({ exercise: "first-out", score: 0, done: false });
  lms.worked({ exercise: "first-out", score: 0.6, done: true });
  assert.equal(platform.values["cmi.core.lesson_status"], "completed");
  assert.equal(platform.values["cmi.core.score.raw"], "80");
  assert.deepEqual(reports.at(-1), ["Reported to the learning platform: 80 of 100.", false]);
  lms.finish();
  assert.equal(platform.values["cmi.core.exit"], "");
  const before = platform.calls.length;
  const third = begun(platform).lms;
  third.worked({ exercise: "first-in", score: null, done: false });
  third.worked({ exercise: "first-in", score: 0, done: false });
  third.worked({ exercise: "elsewhere", score: 1, done: true });
  assert.deepEqual(platform.calls.slice(before), [["LMSInitialize", ""], ["LMSCommit", ""]]);
  assert.equal(platform.values["cmi.core.lesson_status"], "completed");
});

test("what the platform refuses is said in words, with its number", () => {
  const platform = new Platform();
  const { lms, reports } = begun(platform);
  platform.refuses = "cmi.core.score.raw";
  lms.worked({ exercise: "first-in", score: 1, done: true });
  assert.deepEqual(reports, [["The learning platform did not take the result: General exception (error 101).", true]]);
  platform.refuses = "LMSInitialize";
  const closed = begun(platform);
  assert.match(closed.reports[0][0], /General exception/);
  const before = platform.calls.length;
  closed.lms.worked({ exercise: "first-in", score: 1, done: true });
  closed.lms.finish();
  assert.equal(platform.calls.length, before);
});

test("without a platform the work goes on, and the page says that it is not reported", () => {
  const { lms, reports, who } = begun(null);
  lms.worked({ exercise: "first-in", score: 1, done: true });
  lms.finish();
  assert.equal(who, "");
  assert.match(reports[0][0], /not reported/);
});

test("what the platform kept and makes no sense is passed over", () => {
  const platform = new Platform();
  platform.values["cmi.suspend_data"] = '{"first-in": "x", "gone": [1, true]}';
  assert.deepEqual(begun(platform).lms.results, {});
  platform.values["cmi.suspend_data"] = "{";
  assert.deepEqual(begun(platform).lms.results, {});
});

test("the platform is found in the frames around the page, or around the window that opened it", () => {
  const API = {};
  const frames = (depth, top) => {
    let page = { ...top };
    page.parent = page;
    for (let up = 0; up < depth; up += 1) page = { parent: page };
    return page;
  };
  assert.equal(findApi(frames(0, { API })), API);
  assert.equal(findApi(frames(7, { API })), API);
  assert.equal(findApi(frames(8, { API })), null);
  assert.equal(findApi({ ...frames(1, {}), opener: frames(2, { API }) }), API);
  assert.equal(findApi(frames(1, {})), null);
  const foreign = {
    get API() {
      throw new Error("another site");
    },
  };
  assert.equal(findApi({ parent: foreign, opener: frames(0, { API }) }), API);
});

test("a span of time is written as the standard wants it", () => {
  assert.equal(timespan(0), "0000:00:00");
  assert.equal(timespan(36_061.9), "0010:01:01");
});
