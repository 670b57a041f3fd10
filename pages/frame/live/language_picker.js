// The list of languages: shown where the page can be had in more than one, and opened again by a link.

import { el } from "./dom.js";
import { hasAddress, replaceAddress } from "./page_address.js";
import { _, LANGUAGE, languageTag, languageTags } from "./words.js";

/** The list with its label; hidden where there is nothing to choose. */
export function createLanguagePicker() {
  const options = languageTags().map((tag) => el("option", { value: tag, lang: tag }, nameOf(tag)));
  const onchange = () => {
    const query = new URLSearchParams(location.search);
    query.set(LANGUAGE, select.value);
    if (replaceAddress(`${location.pathname}?${query}${location.hash}`)) location.reload();
  };
  const select = el("select", { class: "language", "aria-label": _("Language"), translate: false, onchange });
  select.append(...options);
  select.value = languageTag();
  select.hidden = options.length < 2 || !hasAddress();
  return select;
}

/** A language's name in itself. @param {string} tag */
function nameOf(tag) {
  const name = new Intl.DisplayNames([tag], { type: "language", languageDisplay: "standard" }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
