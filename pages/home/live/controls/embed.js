// The page in a frame of another: one figure, whose height the frame can follow.

import { pageAddress } from "../../../frame/live/page_address.js";
import { linkOf } from "../session/link.js";

const NAME = "embed"; // in the address

/** Whether the address asks for the one figure alone. */
export function isEmbedded() {
  return [location.search, location.hash].some((said) => new URLSearchParams(said.slice(1)).has(NAME));
}

/**
 * Leaves the one figure, and says its height to the page around whenever that changes.
 * @param {HTMLElement} host
 */
export function embed(host) {
  const root = document.documentElement;
  root.classList.add(NAME);
  host.dataset.embed = "";
  const tell = () => {
    const { bottom } = host.getBoundingClientRect();
    parent.postMessage({ oneToken: { height: Math.ceil(bottom + scrollY) + 8 } }, "*");
  };
  new ResizeObserver(tell).observe(host);
}

/** Where the text of a state is opened whole; empty if no link holds it or opens this page. @param {Header} header */
export function addressOf(header) {
  const [address, link] = [pageAddress(), linkOf(header)];
  return address && link && address + link;
}

/** The lines of HTML that put a text into another page; empty where no link holds it. @param {Header} header */
export function embedCode(header) {
  const address = addressOf(header) && `${addressOf(header)}&${NAME}=1`;
  return address && `<iframe src="${address.replaceAll("&", "&amp;").replaceAll('"', "%22")}"
  title="One Token at a Time" width="100%" height="520" style="border: 0"></iframe>
<script>
addEventListener("message", ({ data, source }) => {
  const height = Number(data?.oneToken?.height);
  if (!(height > 0)) return;
  for (const frame of document.querySelectorAll("iframe")) {
    if (frame.contentWindow === source) frame.height = height;
  }
});
</script>
`;
}
