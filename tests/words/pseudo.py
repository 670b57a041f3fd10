"""The pseudo-locale en-XA: all messages with accents and four tenths longer: others stand out."""

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from babel import Locale
from babel.messages import Catalog
from babel.messages.pofile import write_po
from playwright.sync_api import Page

from pages.frame import words
from pages.words.update import template

TAG = "en-XA"
KEPT = re.compile(r"\{\w+\}|<[^>]*>|\]\([^)]*\)|`[^`]*`|\*\*|https?://[\w./-]+|\\n|:material/\w+:")
ACCENTED = str.maketrans("aceinosuyACEINOSUY", "áçéíñóšúýÁÇÉÍÑÓŠÚÝ")
# what is the same in every language: names of models, programs, engines, formats and settings
NAMES = frozenset(
    [
        "storyteller",
        "nats",
        "GPT",
        "cpu",
        "cuda",
        "auto",
        "float",
        "prefill",
        "decode",
        "logits",
        "log",
        "JSON",
        "CSV",
        "HTML",
        "SVG",
        "PNG",
        "transformers",
        "vLLM",
        "llama",
        "cpp",
        "Ollama",
        "Python",
        "Streamlit",
        "Esc",
        "English",
        "Deutsch",
    ]
)
_NO_WORDS = re.compile(r"<[^>]*>|https?://\S+")  # markup, an address
_WORD = re.compile(r"(?<![\w.␣“<|])[A-Za-z]{3,}(?![\w.]*\w)")  # but in a token's label
# every visible text, what stands in a field, and what is heard of a visible element, of the page
# and its shadow roots
_TEXTS = """() => {
  const [found, tokens] = [[], []];
  const silent = "script, style, noscript, [translate=no]:not(.loop-line), [lang=en]";
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true });
  const heard = ["aria-label", "title", "placeholder", "alt", "aria-valuetext"];
  const read = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) read(node.shadowRoot);
      if (!isShown(node)) continue;
      if (node.closest(silent)) {
        if (node.matches(".token, .bars-label, .guess-option, .named, .piece-label"))
          tokens.push(...node.textContent.match(/[A-Za-z]+/g) ?? []);
        continue;
      }
      if (node.matches("textarea, input:not([type])") && node.value) found.push(node.value);
      for (const name of heard) if (node.getAttribute(name)) found.push(node.getAttribute(name));
      for (const child of node.childNodes)
        if (child.nodeType === Node.TEXT_NODE && child.data.trim()) found.push(child.data.trim());
    }
  };
  read(document.body);
  return [[...new Set(found)], tokens];
}"""


def accented(text: str) -> str:
    """Returns a message with accents and more letters, but with its own placeholders and tags."""
    kept, parts = KEPT.findall(text), KEPT.split(text)
    said = [part.translate(ACCENTED) for part in parts]
    longer = "\u00f6" * (2 * sum(map(len, parts)) // 5)
    whole = "".join(part + fixed for part, fixed in zip(said, [*kept, ""], strict=True))
    return f"{whole} {longer}" if longer else whole


def write_pseudo(folder: Path) -> Path:
    """Writes a folder of catalogues that has the pseudo-locale alone; returns it."""
    made = Catalog(locale=Locale("en"), charset="utf-8", fuzzy=False)
    for message in template():
        if message.id:
            forms = [message.id] if isinstance(message.id, str) else message.id
            said = [accented(str(form)) for form in forms]
            made.add(
                message.id,
                said[0] if isinstance(message.id, str) else tuple(said),
                locations=message.locations,
                context=message.context,
            )
    with (folder / "en_XA.po").open("wb") as file:
        write_po(file, made)
    return folder


def speaking_pseudo(folder: Path) -> AbstractContextManager[None]:
    """Has this process read the pseudo-locale in place of the catalogues."""
    return reading(write_pseudo(folder))


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Has this process read the catalogues of another folder."""
    caches = (words.languages, words._first, words._translations, words.for_browser)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "FOLDER", folder)
        for cache in caches:
            cache.cache_clear()
        yield
    for cache in caches:
        cache.cache_clear()


def unmarked(texts: Iterable[str]) -> list[str]:
    """Returns the texts that no catalogue has: those with a word without accents."""
    return [text for text in texts if set(_WORD.findall(_NO_WORDS.sub("", text))) - NAMES]


def texts_on(page: Page) -> list[str]:
    """Returns all texts that are seen or heard on the screen, outside of what stays as it is."""
    texts, tokens = page.evaluate(_TEXTS)
    words_of_tokens = re.compile(rf"\b(?:{'|'.join(map(re.escape, {*tokens, '-'}))})\b")
    return [words_of_tokens.sub("", text) for text in texts]  # spoken, they stand in sentences
