/** Starts a page that is one file, from the scripts in it: pages/frame/one_file.py. */

const program = JSON.parse(document.getElementById("program")?.textContent ?? "");
const addressOf = (/** @type {string} */ text) =>
  URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const workers = Object.entries(program.workers).map(([name, text]) => [name, addressOf(text)]);
const sheet = new CSSStyleSheet();
sheet.replaceSync(program.sheet);
const { default: start } = await import(addressOf(program.page));
start({ sheet, workers: Object.fromEntries(workers) });
