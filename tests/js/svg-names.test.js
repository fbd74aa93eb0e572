/** A name that somebody gave is text in a picture, whatever stands in it: the picture stays one that can be opened. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { SvgPen } from "../../static/js/view/base/svg-pen.js";

const HOSTILE = [
  "</text><script>alert(1)</script>",
  '" onload="alert(1)',
  "]]><!--",
  "&amp;&#0;",
  "a\u0000b\u0001c\u001fd\u007f",
  "half \ud800 of one",
  "no character \ufffe \uffff",
  "\u202egnirts",
  "😀 名",
];

/** @param {string} name */
function picture(name) {
  const pen = new SvgPen(100, 50);
  pen.fillText(name, 5, 5);
  return pen.text(name, name);
}

for (const name of HOSTILE)
  test(`a picture with ${JSON.stringify(name)} is well formed and runs nothing`, () => {
    const svg = picture(name);
    assert.ok(!/<script|<!--|\]\]>|\sonload="/.test(svg), svg);
    // XML 1.0 has no such characters, neither as they are nor by their numbers.
    assert.ok([...svg].every((char) => char >= " " && char !== "\ufffe" && char !== "\uffff"), svg);
    assert.ok(!/[\ud800-\udfff]/u.test(svg), "no half of a character");
    assert.equal(svg.match(/<text[ >]/g)?.length, 1);
  });

test("characters that XML has are kept", () => {
  assert.ok(picture("😀 名").includes("😀 名"));
});
