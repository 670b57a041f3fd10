// What the page shows as pictures to send: the step that stands there, its five beats as one strip or moving, and
// the story. The menu is the page's; what makes the pictures is fetched after the first press.

import { createButton, el, setText } from "../../../frame/live/dom.js";
import { lazyModule } from "../../../frame/live/lazy_module.js";
import { saveFile } from "../../../frame/live/save_file.js";
import { createMenu, openBeside } from "../controls/menu.js";
import { hasDistribution } from "./rows.js";
import { _ } from "../../../frame/live/words.js";

const IDLE_MS = 3000; // after the first press, before it is fetched

/**
 * What can be saved: its name, and in which forms.
 * @type {Record<PictureName, {says: string, forms: PictureForm[]}>}
 */
const PICTURES = {
  step: { says: _("this picture"), forms: ["SVG", "PNG"] },
  beats: { says: _("the five beats"), forms: ["SVG", "PNG", "moving"] },
  story: { says: _("the story"), forms: ["SVG", "PNG"] },
};
const maker = () => lazyModule("picture_maker", () => import("./picture_maker.js"));

/** The menu that saves what `read` returns. @param {() => View|null} read */
export function createPictures(read) {
  const menu = createMenu("menu pictures", _("Save a picture"));
  const open = createButton("quiet", _("Save picture"), (event) => {
    if (read()?.distribution) openBeside(menu, open, "above", event.detail > 0);
  });
  open.setAttribute("aria-haspopup", "dialog");
  for (const [name, { says, forms }] of Object.entries(PICTURES)) {
    const buttons = forms.map((form) => createSaver(/** @type {PictureName} */ (name), form, read));
    menu.append(el("p", { class: "pictures-name" }, says), el("div", { class: "row" }, ...buttons));
  }
  // there before it is wanted, so that a server that is gone by then is not missed
  addEventListener("click", () => setTimeout(() => maker().catch(() => {}), IDLE_MS), { once: true });
  return { button: el("div", { class: "picture" }, open), menu };
}

/** @param {PictureName} name @param {PictureForm} form @param {() => View|null} read */
function createSaver(name, form, read) {
  const title = form === "moving" ? _("moving") : form;
  const node = createButton("menu-item", title, async () => {
    node.disabled = true;
    setText(node, _("making…"));
    let says = title;
    try {
      const { makePicture } = await maker();
      const view = read();
      if (view === null || !hasDistribution(view)) return;
      saveFile(
        await makePicture(name, form, view, node),
        `one-token-${name}.${form === "SVG" ? "svg" : "png"}`,
      );
    } catch {
      says = _("Try again");
    } finally {
      node.disabled = false;
      setText(node, says);
    }
  });
  node.setAttribute(
    "aria-label",
    form === "moving"
      ? _("Save {picture}, moving", { picture: PICTURES[name].says })
      : _("Save {picture} as {format}", { picture: PICTURES[name].says, format: form }),
  );
  return node;
}
