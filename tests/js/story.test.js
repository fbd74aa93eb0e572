/** The story of a scenario: where it stands still, and that a prediction is locked before the run goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Story } from "../../static/js/model/story.js";
import { pieces } from "../../static/js/model/words.js";
import { SvgPen } from "../../static/js/view/base/svg-pen.js";

const STORY = {
  annotations: [
    { at_us: 2_000_000, text: "two" },
    { at_us: 3_000_000, text: "three", pause: false },
    { when: { path: "n", op: ">", value: 4 }, text: "more than four" },
  ],
  breakpoints: [{ at_us: 9_000_000 }],
  prediction: {
    question: "?",
    ask_at_us: 1_000_000,
    at_us: 4_000_000,
    options: [
      { text: "small", when: { path: "n", op: "<", value: 5 } },
      { text: "large", when: { path: "n", op: ">=", value: 5 } },
    ],
  },
  verdict: { verdict: "true", claim: "c", text: "t", evidence_at_us: 4_000_000 },
};

const play = { t: "control", play: true };

test("the run is played from stop to stop", () => {
  const story = new Story(STORY, 10_000_000);
  assert.deepEqual(
    story.stops.map((stop) => stop.atUs / 1e6),
    [1, 2, 3, 4, 9],
  );
  assert.deepEqual(story.mend(play, 0), { ...play, until_us: 1_000_000 });
  story.skip();
  assert.equal(story.mend(play, 2_000_000).until_us, 4_000_000);
  assert.equal(story.mend({ ...play, until_us: 2_500_000 }, 2_000_000).until_us, 2_500_000);
  assert.equal(story.mend(play, 4_000_000).until_us, 9_000_000);
  assert.deepEqual(story.mend(play, 9_000_000), play);
  assert.deepEqual(story.mend({ t: "control", speed: 2 }, 0), { t: "control", speed: 2 });
});

test("a prediction is locked before the run goes on, and not changed afterwards", () => {
  const story = new Story(STORY, 10_000_000);
  assert.equal(story.locked(999_999), false);
  assert.equal(story.choose(0, 0), false);
  assert.equal(story.locked(1_000_000), true);
  assert.equal(story.mend(play, 1_000_000), null);
  assert.equal(story.mend({ t: "step" }, 1_000_000), null);
  assert.equal(story.choose(0, 1_000_000), true);
  assert.equal(story.choose(1, 1_000_000), false);
  assert.equal(story.chosen, 0);
  assert.notEqual(story.mend(play, 1_000_000), null);
});

test("the run itself tells which option was right", () => {
  const story = new Story(STORY, 10_000_000);
  story.observe(3_999_999, { n: 7 });
  assert.equal(story.right, null);
  story.observe(4_000_000, { n: 7 });
  assert.equal(story.right, 1);
  story.observe(4_000_000, { n: 1 });
  assert.equal(story.right, 1, "told once");
});

test("a note that waits for a test is told when it holds, once", () => {
  const story = new Story(STORY, 10_000_000);
  assert.equal(story.watch(1_500_000, { n: 3 }), false);
  assert.equal(story.watch(1_600_000, { n: 5 }), true);
  assert.equal(story.watch(1_700_000, { n: 9 }), false);
  assert.equal(story.current(1_650_000).notes[0].text, "more than four");
});

test("a picture as SVG holds what was painted, and no markup of anybody's", () => {
  const pen = new SvgPen(100, 50, { recipeOf: (each) => each.recipe });
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, 100, 50);
  pen.fillStyle = { recipe: { ground: null, stripe: "red", period: 7, width: 1 } };
  pen.save();
  pen.globalAlpha = 0.5;
  pen.beginPath();
  pen.roundRect(1, 2, 30, 10, 3);
  pen.clip();
  pen.fill();
  pen.restore();
  const ramp = pen.createLinearGradient(0, 0, 0, 50);
  ramp.addColorStop(0, "blue");
  pen.fillStyle = ramp;
  pen.font = "600 12px Inter, sans-serif";
  pen.textAlign = "right";
  pen.fillText("<q1> & q2", 5, 6);
  const text = pen.text("A <title>", "what is seen");
  assert.match(text, /^<svg [^>]*viewBox="0 0 100 50"/);
  assert.match(text, /<pattern id="p\d"/);
  assert.match(text, /<linearGradient id="g2"/);
  assert.match(text, /opacity="0.5" clip-path="url\(#c\d\)"/);
  assert.match(text, /&#60;q1&#62; &#38; q2<\/text>/);
  assert.ok(!/<q1>|<title>A <title>/.test(text));
  const opened = text.match(/<[a-zA-Z]+[ >]/g).length;
  const closed = text.match(/\/>|<\/[a-zA-Z]+>/g).length;
  assert.equal(opened, closed);
});

test("words of the glossary are marked where they first come, and only as whole words", () => {
  const words = { "q3": "q3", "journal": "journal", "journal.jif": "journal", "阈值": "watermark", "lazy": "lazy" };
  const marked = (text, seen) => pieces(text, words, seen).filter((each) => each.anchor).map((each) => each.text);
  assert.deepEqual(marked("q3 and q3, journal.jif, x-queue-mode Lazy, lazy-all"), ["q3", "journal.jif", "Lazy"]);
  assert.deepEqual(marked("内存阈值与q3里"), ["阈值", "q3"]);
  const seen = new Set();
  assert.deepEqual([marked("q3", seen), marked("q3 again", seen)], [["q3"], []]);
  for (const text of ["", "q3", "a q3 b", "nothing"]) assert.equal(pieces(text, words).map((each) => each.text).join(""), text);
  assert.deepEqual(pieces("as it is", undefined), [{ text: "as it is", anchor: null }]);
});

test("what the articles say of a moment is told while that moment is shown, and at no other", () => {
  const rows = [{ at_us: [500_000, 2_600_000], claim: "An alpha takes no read", verdict: "true" }, { at_us: [2_601_000], claim: "A delta takes one", verdict: "true" }];
  const articles = { near_us: 100_000, rows };
  const story = new Story({ articles }, 9e6, 2_500_000);
  assert.deepEqual([2_400_000, 2_500_000, 2_600_000].map((us) => story.articlesAt(us)), [[rows[0]], [rows[0]], [rows[0]]]);
  assert.deepEqual([0, 500_000, 2_399_999, 2_600_001].map((us) => story.articlesAt(us)), [[], [], [], []]);
  assert.deepEqual(new Story({ articles }, 9e6).articlesAt(2_500_000), [], "no link led anywhere");
  assert.deepEqual(new Story({}, 9e6, 0).articlesAt(0), []);
});
