// The entry: one board per place in the page.

import { mountOnce } from "../../frame/live/stale_updates.js";
import { Board } from "./board.js";

export default mountOnce(Board);
