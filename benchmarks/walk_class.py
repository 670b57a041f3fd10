"""Walks a class of 25 phones through the lesson of a room, as its teacher, and takes pictures.

    python -m benchmarks.walk_class FOLDER [--phones 25] [--script NAME] [--scheme dark]

Two phones, the desk and the projectors (1080 and 720 lines) are pages of a browser; the other
phones speak as theirs does. One sleeps, one comes late, one leaves, one writes rubbish, the network
of one dies, and one question gets no vote: the teacher counts hands. Each step is a line of the
table that is printed, with what the desk advised and the faults that a class would see.
"""

import argparse
import random
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from benchmarks.bench_room import Phone, open_desk
from pages.lessons.classroom.script import Item, items_of
from pages.lessons.tour.scenes import read_lesson
from tests.driving.harness import Server, chromium, serve

Scheme: TypeAlias = Literal["light", "dark"]
SIZES = {"desk": (1280, 800), "p1080": (1920, 1080), "p720": (1280, 720)}
PHONE: ViewportSize = {"width": 390, "height": 844}
LATE, LEAVES, NOBODY, OFFLINE = 3, 9, 5, 10  # the questions at which it happens
ASLEEP = range(4, 8)  # the questions that one phone sleeps through
FILLED = 0.8  # of the projector's height, down to which something stands
LOOK = """() => {
  const isSeen = (part) => part.getClientRects().length > 0 &&
    (part.innerText?.trim() || part.querySelector("i, span") || part.src);
  const shown = [...document.querySelectorAll("main > *, aside > *")].filter(isSeen);
  const main = document.querySelector("main");
  const own = shown.filter((part) => main.contains(part));
  const isOver = ([part, next]) =>
    part.getBoundingClientRect().top + part.scrollHeight > next.getBoundingClientRect().top + 2;
  const asked = main.querySelector("#ask");
  return {
    parts: shown.map((part) => part.id),
    low: Math.max(0, ...own.map((part) => part.getBoundingClientRect().bottom)) / innerHeight,
    isCut: main.scrollHeight > innerHeight + 1,
    isOver: own.slice(1).some((next, i) => isOver([own[i], next])) ||
      [...main.querySelectorAll(".mark")].filter(isSeen).some((mark) => isOver([asked, mark])),
    isBare: !["code", "qr"].every((id) => shown.some((part) => part.id === id)),
  };
}"""


@dataclass
class Class:
    """The pages and phones of one room."""

    folder: Path
    pages: dict[str, Page]
    others: "Others"
    faults: list[str] = field(default_factory=list)
    n_pictures: int = 0

    def press(self, name: str) -> None:
        """Presses a button among the teacher's next steps, and waits until it was carried out."""
        desk = self.pages["desk"]
        with desk.expect_response("**/desk/press"):
            desk.locator("#presses, #appends").get_by_role("button", name=name, exact=True).click()

    def ask(self, entry: Locator, name: str) -> None:
        """Presses a button of a row of the script, which opens for it."""
        if not entry.locator("details").evaluate("(row) => row.open"):
            entry.locator("summary").click()
        with self.pages["desk"].expect_response("**/desk/press"):
            entry.get_by_role("button", name=name, exact=True).click()

    def has(self, name: str) -> bool:
        """Whether the teacher may press that now."""
        return self.pages["desk"].locator("#presses, #appends").get_by_role(
            "button", name=name, exact=True
        ).count() > 0  # fmt: skip

    def note(
        self, minute: float, step: str, *, is_page: bool = False, is_over: bool = False
    ) -> None:
        """Takes the pictures of a step, prints its line, and notes its faults."""
        self.pages["desk"].wait_for_timeout(1300)  # each page has asked again
        self.n_pictures += 1
        number = f"{self.n_pictures:03}"
        for name, page in self.pages.items():
            page.screenshot(path=self.folder / f"{number}-{name}.png")
        looks = {name: self.pages[name].evaluate(LOOK) for name in ("p1080", "p720")}
        for name, look in looks.items():
            for is_fault, fault in (
                (look["isCut"], "something is cut off"),
                (look["isOver"], "one part lies over another"),
                (look["isBare"] and not is_over, "no code or no picture to join by"),
                (0 < look["low"] < FILLED and not is_page, f"filled to {look['low']:.0%}"),
            ):
                if is_fault:
                    self.faults.append(f"{number} {step}: {name}: {fault}")
        advice = self.pages["desk"].locator("#advice").inner_text()
        counts = self.pages["p1080"].locator("#counts").inner_text()
        aside = {"counts", "code", "qr", "address"}
        parts = ", ".join(part for part in looks["p1080"]["parts"] if part not in aside)
        print(f"| {minute:.1f} | {number} | {step} | {counts} | {parts} | {advice} |")
        sys.stdout.flush()


class Others(threading.Thread):
    """The phones without a browser: each asks every second, and answers once when it may."""

    def __init__(self, url: str, code: str, n_phones: int) -> None:
        """Joins them all."""
        super().__init__(daemon=True)
        self.url, self.code = url, code
        self.phones = [Phone(url, code) for _ in range(n_phones)]
        self.item: Item | None = None  # what is answered now; None keeps all from it
        self.is_asleep = self.has_left = False  # the first phone; the second
        self.is_over = False  # the room
        self.answered: dict[int, int] = {}  # the question that each phone answered last
        self.toss = random.Random(1)

    def run(self) -> None:
        """Takes part as long as the program runs."""
        while not self.is_over:
            for i in range(len(self.phones)):
                if not ((i == 0 and self.is_asleep) or (i == 1 and self.has_left)):
                    self.take_part(i)
            time.sleep(1)

    def take_part(self, i: int) -> None:
        """Lets one phone ask, and answer what it has not answered."""
        phone, item = self.phones[i], self.item
        phone.connection.close()  # the server may have closed one that rested
        question = phone.ask("state")["question"]
        if item is None or question is None or not question["is_open"]:
            return
        if self.answered.get(i) == question["number"]:
            return
        self.answered[i] = question["number"]
        if i == 2 and question["may_write"]:  # a number is asked for: refused, in one sentence
            rubbish = {"option": None, "word": "rubbish", "number": question["number"]}
            if "error" not in phone.ask("answer", rubbish):
                return
        phone.ask("answer", {"number": question["number"], **self.answer(item, question)})

    def answer(self, item: Item, question: Mapping[str, Any]) -> dict[str, object]:
        """What a pupil says: often what is right, else anything."""
        if question["kind"] == "number":
            said = float(item.scene.right) * self.toss.choice((0.5, 1, 1, 1.5, 3))
            return {"option": None, "word": str(max(1, round(said)))}
        n = len(question["options"])
        return {"option": min(self.toss.randrange(n), self.toss.randrange(n)), "confidence": 0.5}


def answer_by_hand(room: Class, item: Item, names: Sequence[str]) -> None:
    """Answers on the phones that are pages, and waits until the others have."""
    for name in names:
        page = room.pages[name]
        if item.kind == "own" and not item.scene.choices:
            page.locator("#word").fill(item.scene.right)
            page.locator("#write button").click()
        else:
            page.locator("#options button").first.click()
    room.pages["desk"].wait_for_timeout(3000)


def teach(room: Class, place: int, item: Item, minute: float) -> None:
    """Puts one question of the script to the class, as the desk advises."""
    title = f"{place + 1} {item.scene.title}"
    desk, other = room.pages["desk"], room.pages["other"].context
    entry = desk.locator("#items > li").nth(place)
    room.ask(entry, "Show")
    room.note(minute, f"{title}: Show")
    if place == LATE:
        room.others.phones.append(Phone(room.others.url, room.others.code))
    room.others.is_asleep, room.others.has_left = place in ASLEEP, place > LEAVES
    other.set_offline(place == OFFLINE)
    room.others.item = None if place == NOBODY else item
    desk.locator("#else").evaluate("(one) => (one.open = true)")
    desk.locator("#may-write").set_checked(item.kind == "next")
    desk.locator("#else").evaluate("(one) => (one.open = false)")
    room.ask(entry, "Ask")
    expect(room.pages["phone"].locator("#ask")).not_to_be_empty()
    room.note(minute + 0.3, f"{title}: Ask")
    if place == NOBODY:
        count_hands(room, f"{title}: nobody votes", minute)
    else:
        vote(room, title, place, item, minute)
    other.set_offline(False)
    for name in ("Reveal", "Beside the model", "Append the model’s draw"):
        if room.has(name) and (name[0] != "A" or item.kind != "own"):
            room.press(name)
            room.note(minute + 2, f"{title}: {name}")
    if item.kind == "own" and room.has("Show its page"):
        room.press("Show its page")
        shown = room.pages["p1080"].frame_locator("#page")
        shown.locator("[data-test-script-state=notRunning]").wait_for(timeout=60_000)
        desk.wait_for_timeout(3000)
        room.note(minute + 2.5, f"{title}: its page", is_page=True)
        room.press("Take its page away")


def vote(room: Class, title: str, place: int, item: Item, minute: float) -> None:
    """Lets everyone answer who is there; a choice is asked again after a discussion."""
    answer_by_hand(room, item, ("phone",) if place == OFFLINE else ("phone", "other"))
    room.note(minute + 1, f"{title}: answered")
    rubbish = room.pages["desk"].get_by_role("button", name="Remove “rubbish”")
    if rubbish.count():
        rubbish.first.click()
        room.note(minute + 1, f"{title}: rubbish removed")
    room.press("Close")
    room.note(minute + 1.3, f"{title}: Close")
    if item.kind == "own" and item.scene.choices and place != OFFLINE:
        room.press("Ask again")
        answer_by_hand(room, item, ("phone", "other"))
        room.press("Close")
        room.note(minute + 1.6, f"{title}: asked again")


def count_hands(room: Class, title: str, minute: float) -> None:
    """Closes a question to which nobody answered, and types the hands."""
    desk = room.pages["desk"]
    room.press("Close")
    room.note(minute + 1, title)
    expect(desk.locator("#by-hand")).to_have_attribute("open", "")
    counts, words = desk.locator("#counts-by-hand input"), desk.locator("#hand-words")
    counts.nth(1).fill("17") if counts.count() else words.fill("2, 6, 6, 5, 4, 6")
    desk.get_by_role("button", name="Count these hands and close").click()
    room.note(minute + 1.5, f"{title}, hands")


def walk(
    server: Server, browser: Browser, folder: Path, n_phones: int, script: str, scheme: Scheme
) -> list[str]:
    """Teaches a whole lesson; returns the faults that were seen."""
    pages = {
        name: browser.new_page(viewport={"width": w, "height": h}, color_scheme=scheme)
        for name, (w, h) in SIZES.items()
    }
    code = open_desk(pages["desk"], server.url)
    for name in ("p1080", "p720"):
        pages[name].goto(f"{server.url}/room/{code}/projector")
    for name in ("phone", "other"):
        pages[name] = browser.new_context(viewport=PHONE, color_scheme=scheme).new_page()
        pages[name].goto(f"{server.url}/room/{code}")
    others = Others(server.url, code, n_phones - 3)
    others.start()
    room = Class(folder, pages, others)
    print("| minute | picture | pressed | the projector counts | and shows | the desk advises |")
    print("|--:|--:|---|---|---|---|")
    room.note(0, "the room is open")
    for name in ("phone", "other"):
        pages[name].get_by_role("button", name="Join").click()
    room.note(1, "all have joined")
    if script != "how-a-model-writes":
        pages["desk"].locator("#lessons").select_option(script)
    minute, items = 2.0, list(items_of(read_lesson(script)))
    for place, item in enumerate(items):
        teach(room, place, item, minute)
        minute += item.minutes or 3
    room.press("Show what to remember")
    room.note(minute, "what to remember")
    pages["desk"].on("dialog", lambda dialog: dialog.accept())
    others.is_over = True
    room.press("End the room")
    room.note(minute + 1, "the room is over", is_over=True)
    return room.faults


def main() -> None:
    """Walks one class; ends with 1 where a class would see a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--phones", type=int, default=25)
    parser.add_argument("--script", default="how-a-model-writes")
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    with serve() as server, chromium() as browser:
        faults = walk(server, browser, args.folder, args.phones, args.script, args.scheme)
    print(*faults, sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
