"""A film is a GIF that others can read: each picture as it was given, as long as it was asked to stand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PICTURES = """
import { writeFileSync } from "node:fs";
import { Gif } from "./static/js/view/page/gif.js";
const [width, height] = [120, 80];
const gif = new Gif(width, height);
let seed = 7;
const chance = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
for (const picture of [0, 1, 2, 2, 3]) {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const noise = picture === 3 ? Math.floor(chance() * 256) : 0;
    rgba.set([x > 20 * picture && y > 40 ? 200 : 30, noise, picture * 40, 255], at * 4);
  }
  gif.add(rgba, 10);
}
writeFileSync(process.argv[1], gif.end());
"""


def pixel(picture: Image.Image, x: int, y: int) -> tuple[int, ...]:
    found = picture.getpixel((x, y))
    assert isinstance(found, tuple)
    return tuple(int(each) for each in found)


def test_a_film_is_a_gif_that_others_read(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "make test installs Node.js"
    path = tmp_path / "film.gif"
    subprocess.run([node, "--input-type=module", "-e", PICTURES, str(path)], cwd=ROOT, check=True)
    with Image.open(path) as film:
        assert (film.format, film.size, film.n_frames) == ("GIF", (120, 80), 5)
        for at, picture in enumerate((0, 1, 2, 2, 3)):
            film.seek(at)
            assert film.info["duration"] == 100
            shown = film.convert("RGB")
            red, _green, blue = pixel(shown, 20 * picture + 1, 41)
            if picture < 3:
                assert (red, blue) == (200, picture * 40)
                assert pixel(shown, 0, 0) == (30, 0, picture * 40)
        # Noise has more than 256 colours, and more codes than a table holds: the nearest ones are kept.
        greens = [pixel(shown, x, y)[1] for x in range(120) for y in range(80)]
        assert len(set(greens)) > 100
