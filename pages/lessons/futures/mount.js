// The entry: one tree per place in the page.

import { mountOnce } from "../../frame/live/stale_updates.js";
import { Futures } from "./futures.js";

export default mountOnce(Futures);
