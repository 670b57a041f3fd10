// Offers the first lesson and a first guess once: the browser keeps that they were offered.

const KEPT = "ott-lesson-offered";
const NARROW = matchMedia("(max-width: 40rem)").matches; // there it would lie on the bars
const PRESSES = 3; // elsewhere: whoever made them has found the way in
const PLACE = NARROW // between the two buttons of the page's head
  ? "inset:.3rem 3.4rem auto;min-height:3.2rem;flex-wrap:wrap;justify-content:center;gap:0 .6rem;" +
    "font:.8rem var(--st-font);"
  : "right:1rem;bottom:.3rem;gap:.8rem;padding:.2rem .9rem;border:1px solid #8886;border-radius:.5rem;" +
    "background:var(--st-secondary-background-color);font:.9rem var(--st-font);";
const STYLE = `${PLACE}position:fixed;z-index:1000000;display:flex;align-items:center;` +
  "align-content:center;color:var(--st-text-color);pointer-events:none";

const element = (name, properties) => Object.assign(document.createElement(name), properties);

export default ({ data, parentElement }) => {
  try {
    if (localStorage.getItem(KEPT) !== null) return;
    localStorage.setItem(KEPT, "1");
  } catch {
    return; // a browser that keeps nothing would be asked every time
  }
  const offer = element("div", { style: STYLE, role: "note" });
  const offered = data.links.slice(0, NARROW ? 1 : undefined); // one line on a phone
  const links = offered.map(([href, textContent]) => element("a", { href, textContent }));
  const close = element("button", { type: "button", textContent: "Not now" });
  for (const link of links) link.style.cssText = "pointer-events:auto;color:var(--st-link-color)";
  close.style.cssText =
    "pointer-events:auto;font:inherit;color:inherit;background:none;border:0;min-height:24px";
  close.onclick = () => offer.remove();
  offer.append("New here?", ...links, close);
  parentElement.append(offer);
  let presses = 0;
  addEventListener("click", () => ++presses === PRESSES && offer.remove());
};
