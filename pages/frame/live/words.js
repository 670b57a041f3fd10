// The reader's language, as pages/frame/words.py has it for Python: English stands in the source and is the key
// to every other. An English page fetches nothing. For another language one catalogue is here before any script
// that speaks: served pages name its address in `data-words` of their root and fetch it first, and a page in one
// file has all of them in its block `words`. So a constant of a module may be `_("…")`, too.

const THIN_SPACE = "\u202f";
const PLACE = /\{(\w+)\}/g;
export const LANGUAGE = "lang"; // in the address

/** @type {Catalogue|null} */
let catalogue = chosenOf(carried());
let fetched = "";
/** @type {Promise<Catalogue|null>} */
let arrival = Promise.resolve(null);
show(catalogue);

/**
 * A sentence in the reader's language, its placeholders filled in.
 * @param {string} source the sentence in English
 * @param {Record<string, unknown>} [values] by the names of the placeholders: `{name}`
 */
export function _(source, values) {
  const said = catalogue?.messages[source] ?? source;
  return fill(Array.isArray(said) ? said[0] : said, values);
}

/**
 * A sentence about `n` things; `{n}` in it is the number, written out.
 * @param {string} one
 * @param {string} many
 * @param {number} n
 * @param {Record<string, unknown>} [values]
 */
export function ngettext(one, many, n, values) {
  const forms = catalogue?.messages[one];
  const said = catalogue && Array.isArray(forms) && forms[catalogue.plurals[categoryOf(n)]];
  return fill(said || (n === 1 ? one : many), { n: numeral(grouped(n)), ...values });
}

/**
 * A short text that would be translated differently elsewhere.
 * @param {string} context
 * @param {string} source
 * @param {Record<string, unknown>} [values]
 */
export function pgettext(context, source, values) {
  const said = catalogue?.messages[`${context}\u0004${source}`] ?? source;
  return fill(Array.isArray(said) ? said[0] : said, values);
}

/** A whole number with thin spaces between thousands, as English has it here. @param {number} count */
export function grouped(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, THIN_SPACE);
}

/** A number of English, with its unit, as the reader's language writes it. @param {string} text */
export function numeral(text) {
  if (catalogue === null) return text;
  const { decimal, group, percent, minGrouped, direction } = catalogue;
  const alone = /(?<![\d\u202f])(\d)\u202f(?=\d{3}(?!\u202f?\d))/g; // four digits
  const written = (minGrouped > 4 ? text.replace(alone, "$1") : text)
    .replace(/(?<=\d)\.(?=\d)/g, "\0")
    .replace(/(?<=\d)\u202f(?=\d{3})/g, group)
    .replaceAll("\0", decimal)
    .replaceAll(`${THIN_SPACE}%`, percent);
  // a unit or a minus would go to the other end among words from right to left
  return direction === "rtl" && /[A-Za-zµ−]/.test(written) ? `\u2066${written}\u2069` : written;
}

/** What begins the decimals of a number that is typed, and what parts its thousands. */
export function numberSigns() {
  return { decimal: catalogue?.decimal ?? ".", group: catalogue?.group ?? "," };
}

/**
 * Parts as one list: "a, b". `Intl.ListFormat` has no style that joins by a comma in every language.
 * @param {string[]} parts
 */
export function listed(parts) {
  return parts.join(comma());
}

/** What stands between the parts of a list. */
export function comma() {
  // Translators: with the space behind it, where your language writes one
  return pgettext("between the parts of a list", ", ");
}

/** The tag of the language that is spoken, for `lang` and for what is asked of a server. */
export function languageTag() {
  return catalogue?.tag ?? "en";
}

/** The tags of all languages that the page can be had in. @returns {string[]} */
export function languageTags() {
  return globalThis.document?.documentElement.dataset.languages?.split(" ") ?? [];
}

/**
 * Fetches a catalogue, once, before the scripts that speak; without an address English is spoken.
 * @param {string} address
 */
export function fetchWords(address) {
  if (address !== fetched) arrival = address === "" ? Promise.resolve(null) : fetchJson(address);
  fetched = address;
  return arrival.then((found) => show(catalogue = found));
}

/** @param {string} address @returns {Promise<Catalogue>} */
async function fetchJson(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(address);
  return answer.json();
}

/** Translates what stands in the page's markup: its texts, and what is heard of them. @param {ParentNode} root */
export function translateMarkup(root) {
  if (catalogue === null) return;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    const source = text.data.trim().replace(/\s+/g, " ");
    if (source === "" || text.parentElement?.closest("script, style, [translate=no]")) continue;
    const [before] = text.data.match(/^\s*/) ?? [""];
    const [after] = text.data.match(/\s*$/) ?? [""];
    text.data = before + _(source) + after;
  }
  for (const name of SPOKEN) {
    for (const node of root.querySelectorAll(`[${name}]`)) {
      const said = node.getAttribute(name);
      if (said) node.setAttribute(name, _(said));
    }
  }
}

const SPOKEN = ["aria-label", "placeholder", "title", "alt"]; // as pages/words/update.py has them

/** @param {string} text @param {Record<string, unknown>} [values] */
export function fill(text, values) {
  if (values === undefined) return text;
  return text.replace(PLACE, (place, name) => name in values ? String(values[name]) : place);
}

/** @param {number} n */
function categoryOf(n) {
  return new Intl.PluralRules(catalogue?.tag).select(n);
}

/** The catalogues that a page in one file has. @returns {Catalogue[]} */
function carried() {
  const block = globalThis.document?.getElementById("words")?.textContent;
  return block ? JSON.parse(block) : [];
}

/** The first that the address or the browser asks for; null for English. @param {Catalogue[]} all */
function chosenOf(all) {
  if (all.length === 0) return null;
  document.documentElement.dataset.languages = ["en", ...all.map(({ tag }) => tag)].join(" ");
  const said = [location.search, location.hash].map((part) =>
    new URLSearchParams(part.slice(1)).get(LANGUAGE)
  );
  for (const asked of [...said, ...navigator.languages]) {
    if (asked === null) continue;
    const found = all.find(({ tag }) => tag.toLowerCase() === asked.toLowerCase()) ??
      all.find(({ tag }) => tag.split("-")[0] !== "en" && isSame(tag, asked));
    if (found || isSame("en", asked)) return found ?? null;
  }
  return null;
}

/** Whether two tags mean one language in one script. @param {string} one @param {string} other */
function isSame(one, other) {
  try {
    const [a, b] = [one, other].map((tag) => new Intl.Locale(tag).maximize());
    return a.language === b.language && a.script === b.script;
  } catch {
    return false; // no tag
  }
}

/** Has the document say its language. @param {Catalogue|null} spoken */
function show(spoken) {
  if (spoken === null) return;
  const root = globalThis.document?.documentElement;
  if (root) Object.assign(root, { lang: spoken.tag, dir: spoken.direction });
}
