"""What waits: the pace of Play, whose late presses are made up for, and events that were lost."""

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# Plays for some presses; each takes as long as it is told to. Returns the times of the presses.
PLAY = """
async ({ speed, seconds }) => {
  const { Player } = await import("/pages/home/live/controls/player.js");
  let now = 1000;
  let planned = null;
  performance.now = () => now;
  globalThis.setTimeout = (press, delay) => {
    planned = { press, at: now + delay };
    return 1;
  };
  globalThis.clearTimeout = () => (planned = null);

  const presses = [];
  const player = new Player({ press: () => presses.push(now), changed: () => {} });
  player.speed = speed;
  player.play();
  player.beat();
  for (const taken of seconds) {
    now += 1000 * taken;
    player.beat();
    if (planned !== null) {
      now = planned.at;
      planned.press();
      planned = null;
    }
  }
  player.pause();
  player.beat();
  return { presses: presses.map((at) => (at - 1000) / 1000), isPlanned: planned !== null };
}
"""


def play(scripts: Page, speed: float, seconds: list[float]) -> list[float]:
    """Seconds from the start at which Play presses, where its steps take so long."""
    played: dict[str, Any] = scripts.evaluate(PLAY, {"speed": speed, "seconds": seconds})
    assert not played["isPlanned"]
    return list(played["presses"])


def test_a_quick_model_is_pressed_at_the_pace_asked_for(scripts: Page) -> None:
    assert play(scripts, 10, [0.04] * 5) == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])


def test_a_press_that_came_late_is_made_up_for(scripts: Page) -> None:
    pressed = play(scripts, 10, [0.04, 0.25, 0.04, 0.04, 0.04, 0.04, 0.04])
    assert pressed == pytest.approx([0, 0.1, 0.35, 0.39, 0.43, 0.5, 0.6, 0.7])


def test_a_model_slower_than_the_pace_leaves_no_debt_to_be_rushed_through(scripts: Page) -> None:
    pressed = play(scripts, 10, [0.5] * 6 + [0.01] * 8)
    assert pressed[:7] == pytest.approx([0, 0.5, 1, 1.5, 2, 2.5, 3])
    assert pressed[7:10] == pytest.approx([3.01, 3.02, 3.03])
    assert pressed[10:] == pytest.approx([3.1, 3.2, 3.3, 3.4, 3.5])


# A press whose first answers are lost on the way: returns what was sent, and what was said.
LOSE = """
async () => {
  const { ServerEngine } = await import("/pages/home/live/engines/server.js");
  const sent = [];
  const said = [];
  const fails = [true, true, false];
  const header = new TextEncoder().encode(JSON.stringify({ rows: {}, arrays: [] }).padEnd(60));
  const packed = new Uint8Array(4 + header.length);
  new DataView(packed.buffer).setUint32(0, header.length, true);
  packed.set(header, 4);
  globalThis.fetch = (address, { body }) => {
    sent.push([address, JSON.parse(body)]);
    if (fails.shift()) return Promise.reject(new TypeError("away"));
    return Promise.resolve({ ok: true, arrayBuffer: () => Promise.resolve(packed.buffer) });
  };
  const engine = new ServerEngine();
  engine.listen(() => said.push(engine.trouble));
  engine.connect("/loop/one");
  const answered = engine.step({ ids: [1, 2] }, { token_id: null, count: 1, next_seed: 0 });
  setTimeout(() => engine.connect("/loop/two"), 20); // Streamlit says another address meanwhile
  await answered;
  return { sent, said };
}
"""


def test_a_request_that_was_lost_is_sent_again_as_it_was_and_where_the_server_is_now(
    scripts: Page,
) -> None:
    told = scripts.evaluate(LOSE)
    assert [address for address, _ in told["sent"]] == ["/loop/one", "/loop/two", "/loop/two"]
    first, *others = (request for _, request in told["sent"])
    assert others == [first, first]
    assert [bool(sentence) for sentence in told["said"]] == [True, False]


# Leaves before the text is there: returns the rejections that nobody took, and what is told.
LEAVE = """
async () => {
  const { createProgram } = await import("/pages/home/live/session/program.js");
  const untaken = [];
  addEventListener("unhandledrejection", ({ reason }) => untaken.push(reason.name));
  const opened = Promise.reject(new DOMException("", "AbortError"));
  const program = createProgram({ isOpen: false }, opened);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { untaken, told: await program.ready.catch(({ name }) => name) };
}
"""


def test_a_text_that_is_left_before_it_opens_troubles_nobody(scripts: Page) -> None:
    assert scripts.evaluate(LEAVE) == {"untaken": [], "told": "AbortError"}
