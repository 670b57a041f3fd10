// How a component looks: its style sheet, and light or dark, read from the colours that Streamlit
// gives, as its theme has no name in the page.

import { setAttribute } from "./dom.js";

const DARK_BELOW = 0.4;
let sheet = null; // one for all places of a component, made from the text that Python put before it

/** Gives a place in the page the component's style sheet. */
export function adoptStyles(shadowRoot) {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(LIVE_CSS);
  }
  shadowRoot.adoptedStyleSheets = [sheet];
}

/** Detects the theme from the luminance of the page's background and marks the host with it. */
export function detectTheme({ host }) {
  setAttribute(host, "data-theme", luminance(backgroundOf(host)) < DARK_BELOW ? "dark" : "light");
}

function backgroundOf(host) {
  const colour = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
  if (colour === "") return [255, 255, 255];
  const probe = new OffscreenCanvas(1, 1).getContext("2d");
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => (value / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
