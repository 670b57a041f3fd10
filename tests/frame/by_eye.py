"""What a page owes to who reads it with other letters, in longer words, or while it still loads."""

from typing import Any

from playwright.sync_api import Page

# WCAG 1.4.12: what a reader's own style sheet may ask for
SPACED = """* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
}"""
# in the page and in every component's shadow root
RESTYLE = """(css) => {
  const walk = (root) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) walk(node.shadowRoot);
  };
  walk(document);
}"""
UNSTYLE = """() => {
  const walk = (root) => {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets].slice(0, -1);
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) walk(node.shadowRoot);
  };
  walk(document);
}"""
# a language whose words are longer by four tenths; tokens and code stay what they are
LENGTHEN = r"""(share) => {
  const KEPT = "script, style, svg, code, pre, .token, .named, [data-testid=stIconMaterial]";
  const longer = (word) => word + "o".repeat(Math.ceil(share * word.length));
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.closest(KEPT)) continue;
      if (getComputedStyle(node).fontFamily.includes("Material")) continue;
      for (const text of node.childNodes)
        if (text.nodeType === 3 && /\p{L}{3}/u.test(text.data))
          text.data = text.data.replace(/\p{L}{3,}/gu, longer);
    }
  };
  walk(document);
}"""
# text that no scrolling brings into sight, or that leaves the box that is painted around it
CUT = r"""(excepted) => {
  const found = [];
  const isIcon = (node) => getComputedStyle(node).fontFamily.includes("Material");
  const parentOf = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const sticksOut = (text, box) =>
    text.right > box.right + 2 || text.left < box.left - 2 ||
    (text.top + text.bottom) / 2 > box.bottom || (text.top + text.bottom) / 2 < box.top;
  const isPainted = ({ borderRightWidth, backgroundColor }) =>
    parseFloat(borderRightWidth) > 0 || !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor);
  const check = (rect, from, words) => {
    for (let box = from; box !== null && box !== document.body; box = parentOf(box)) {
      if (box.matches(".st-key-announcer")) return; // for the ear alone
      const style = getComputedStyle(box);
      const isClipping = style.overflowX !== "visible" || style.overflowY !== "visible";
      const isOut = style.display !== "contents" && sticksOut(rect, box.getBoundingClientRect());
      if (isOut && box.getBoundingClientRect().width <= 1) return; // for the ear alone
      if (isClipping && /auto|scroll/.test(style.overflowX + style.overflowY)) return;
      if (isOut && (isClipping || isPainted(style)) && style.display !== "inline")
        return found.push(`${words} in ${box.tagName}.${box.getAttribute("class")}`);
    }
  };
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.closest(`svg, option, [data-testid=stIconMaterial], ${excepted}`)) continue;
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (isIcon(node)) continue;
      for (const text of node.childNodes) {
        if (text.nodeType !== 3 || text.data.trim() === "") continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        for (const rect of range.getClientRects()) check(rect, node, text.data.trim().slice(0, 40));
      }
    }
  };
  walk(document);
  return [...new Set(found)];
}"""
# words of a figure that lie on one of its lines or on other words
CROSSED = r"""(key) => {
  const drawn = [...document.querySelectorAll(`.st-key-${key} svg`)];
  const of = (selector) => drawn.flatMap((svg) => [...svg.querySelectorAll(selector)]);
  const words = of(".textpoint text, .annotation-text").filter((node) => node.textContent.trim());
  const boxes = words.map((node) => [node.textContent.trim(), node.getBoundingClientRect()]);
  const isIn = ({ x, y }, box) => // but for the spaces around words
    x > box.left + 6 && x < box.right - 6 && y > box.top + 3 && y < box.bottom - 3;
  const points = of(".js-line").flatMap((line) => {
    const [length, place] = [line.getTotalLength(), line.getScreenCTM()];
    const shares = [...Array(400).keys()].map((i) => i / 399);
    return shares.map((share) => line.getPointAtLength(share * length).matrixTransform(place));
  });
  const onLines = boxes.filter(([, box]) => points.some((point) => isIn(point, box)));
  const onWords = boxes.filter(([, a], i) =>
    boxes.slice(i + 1).some(([, b]) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4));
  return [...onLines, ...onWords].map(([text]) => text);
}"""
# texts that a browser would translate, with what stands around them, shadow roots included; what is
# hidden is left out
WORDS = """(wanted) => {
  const found = [];
  const isKept = (node) => {
    for (let one = node; one !== null; one = one.parentElement ?? one.getRootNode().host ?? null)
      if (one.getAttribute("translate")) return one.getAttribute("translate") === "no";
    return false;
  };
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (one.matches(wanted) && one.checkVisibility() && !isKept(one))
        found.push(one.outerHTML.slice(0, 160));
    }
  };
  walk(document);
  return found;
}"""
# data that is shortened, and said whole under the pointer
SHORTENED = ".bars-label, .lab-label, .lab-segment, .draw-segment, .branch-text, td.is-short"
# and examples that have no room are left out; a slider's thumb has its number above it
LEFT_OUT = f"{SHORTENED}, .examples, [data-testid=stSliderThumbValue]"
LONGER = 0.4  # of a word
MAX_SHIFT = 0.05  # of all that moves by itself, on load and after a press
REST_MS = 300  # in which what loads late has come
SHIFTS = """
globalThis.__shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect: from, currentRect: to }) => {
      const named = (node?.nodeType === 3 ? node.parentElement : node)?.closest?.("[class]");
      const name = named?.getAttribute("class")?.slice(-60);
      return `${name}: ${from.y}, ${from.height} high, to ${to.y}, ${to.height} high`;
    });
    const reach = sources  // a text that was replaced is no longer in the page, and moved nowhere
      .filter((one) => one.node && Math.abs(one.previousRect.top - one.currentRect.top) > 1)
      .map(({ currentRect: { top, bottom } }) => [top, bottom]);
    globalThis.__shifts.push({ value, hadRecentInput, startTime, moved, reach });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def cut(page: Page) -> list[str]:
    """What cannot be read whole as the page stands."""
    found: list[str] = page.evaluate(CUT, LEFT_OUT)
    return found


def shifts(page: Page) -> list[dict[str, Any]]:
    """What moved by itself so far, as the browser saw it; what comes next is counted anew."""
    seen: list[dict[str, Any]] = page.evaluate("() => globalThis.__shifts.splice(0)")
    return [shift for shift in seen if not shift["hadRecentInput"]]


def moved(page: Page, rest: float = REST_MS) -> float:
    """How much moved by itself since it was asked last; what did is printed."""
    page.wait_for_timeout(rest)
    seen = shifts(page)
    print(seen)  # noqa: T201  pytest shows it beside a failure
    return sum(shift["value"] for shift in seen)
