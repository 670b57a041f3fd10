// The way out to Streamlit, and a reader who leaves. Streamlit takes a press of a link and an event
// that goes out right behind it for one, and shows neither page. So nothing is sent after such a
// press, and a press that comes right after an event waits until that is out.

const isLink = (node) => node instanceof Element && node.matches("a[href]");
const LEAVING_MS = 2000; // after which the page has been left, or it was another kind of link
const ON_ITS_WAY_MS = 100; // in which an event that was handed over is out: some 20 ms, measured

/** Hands events to Streamlit, but none after a press of a link. */
export class NavigationGuard {
  /**
   * @param {() => void} onStay called when the page was not left after all
   * @param {AbortSignal} signal ends the listening
   */
  constructor(onStay, signal) {
    this.onStay = onStay;
    this.silentUntil = 0;
    this.handedOver = -Infinity;
    const options = { capture: true, signal };
    document.addEventListener("click", (event) => this.takePress(event), options);
    window.addEventListener("popstate", () => this.holdBack(), options);
  }

  /** Whether a link was pressed a moment ago. */
  get isSilent() {
    return performance.now() < this.silentUntil;
  }

  /** Gives Streamlit an event to send. */
  send(give, event) {
    this.handedOver = performance.now();
    give?.(event);
  }

  takePress(event) {
    const link = event.composedPath().find(isLink);
    if (link === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const wait = this.holdBack();
    if (wait <= 0) return;
    event.preventDefault();
    event.stopPropagation();
    setTimeout(() => link.click(), wait);
  }

  /** Sends nothing for a while; returns for how many milliseconds the page must not be left yet. */
  holdBack() {
    const now = performance.now();
    this.silentUntil = now + LEAVING_MS;
    setTimeout(this.onStay, LEAVING_MS + 20);
    return this.handedOver + ON_ITS_WAY_MS - now;
  }
}
