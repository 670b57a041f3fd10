"""The moving picture of the README: one step in five beats, taken from the page as it runs.

The page's clock stands still while a frame is taken, and every motion is set to its moment: the
picture is the same on a slow machine. The page's own encoder writes it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Literal

from playwright.sync_api import Browser, FloatRect, Page, Route, ViewportSize, expect

from tests.driving.harness import ROOT
from tests.driving.home_page import Reader

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SCREEN: ViewportSize = {"width": 1280, "height": 800}
CLIP: FloatRect = {
    "x": 16,
    "y": 152,
    "width": 1248,
    "height": 588,
}  # the text, the picture and its buttons
WIDE = 960  # pixels of the picture
FRAME_MS = 100
COUNT_MS = 20  # of the page's clock, in which the numbers are written that the bars have come to
QUESTION_MS = 700
BEATS = {"read": 1300, "score": 2400, "cut": 2300, "draw": 2300, "append": 1300}  # ms of each
ORIGIN = "http://scripts.test/"
PAUSE = (
    """(root) => { for (const motion of root.getAnimations({ subtree: true })) motion.pause(); }"""
)
SET = """(root, ms) => {
  for (const motion of root.getAnimations({ subtree: true })) {
    if (ms < motion.effect.getComputedTiming().endTime) motion.currentTime = ms;
    else motion.finish(); // what flew is taken away
  }
}"""
FINISH = """(root) => {
  for (const motion of root.getAnimations({ subtree: true }))
    if (motion.effect.getComputedTiming().iterations !== Infinity) motion.finish();
}"""
JOIN = """async ({ shots, wide }) => {
  const { joinFrames } = await import("/pages/home/live/figures/apng.js");
  async function* frames() {
    for (const [png, ms] of shots) {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const height = Math.round(wide * image.height / image.width);
      const canvas = Object.assign(document.createElement("canvas"), { width: wide, height });
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen.imageSmoothingQuality = "high";
      pen.drawImage(image, 0, 0, wide, height);
      yield { canvas, ms };
    }
  }
  const bytes = new Uint8Array(await (await joinFrames(frames())).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}"""


def moving_picture(browser: Browser, url: str, scheme: Scheme) -> bytes:
    """Returns ten seconds of the home page as a PNG that moves."""
    context = browser.new_context(viewport=SCREEN, color_scheme=scheme)
    shots = [(b64encode(png).decode(), ms) for png, ms in _shots(context.new_page(), url)]
    page = context.new_page()
    page.route(f"{ORIGIN}**", _answer)
    page.goto(ORIGIN)
    joined: str = page.evaluate(JOIN, {"shots": shots, "wide": WIDE})
    context.close()
    return b64decode(joined)


def _shots(page: Page, url: str) -> Iterator[tuple[bytes, int]]:
    """Takes the frames of a newcomer's first step, each with its milliseconds."""
    page.clock.install()
    reader = Reader(page, url).open()
    reader.rest()
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 2"))  # in seconds
    yield page.screenshot(clip=CLIP), QUESTION_MS
    root = reader.live.locator(".ott")
    for beat, ms in BEATS.items():
        page.keyboard.press("ArrowRight" if beat == "read" else "Space")
        page.clock.run_for(100)
        reader.until(lambda: not reader.wire.n_open, "no answer")
        page.clock.run_for(100)
        expect(reader.live.locator(f".bars[data-beat={beat}]")).to_be_visible()
        root.evaluate(PAUSE)
        for at in range(0, ms, FRAME_MS):
            root.evaluate(SET, at)
            page.clock.run_for(COUNT_MS)
            yield page.screenshot(clip=CLIP), FRAME_MS
        root.evaluate(FINISH)


def _answer(route: Route) -> None:
    """Answers a request from our files."""
    path = route.request.url.removeprefix(ORIGIN)
    text = (ROOT / path).read_text("utf-8") if path else ""
    kind = "text/javascript" if path else "text/html"
    route.fulfill(body=text, content_type=f"{kind}; charset=utf-8")
