// Starts a page's script once the words of its reader's language are here; an English page starts it itself.

import { fetchWords } from "./words.js";

const { words = "", entry = "" } = document.documentElement.dataset;
fetchWords(words).finally(() => import(entry)); // without them it speaks English
