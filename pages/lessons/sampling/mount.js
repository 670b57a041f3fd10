// The entry: one Lab per place in the page.

import { mountOnce } from "../../frame/live/stale_updates.js";
import { Lab } from "./lab.js";

export default mountOnce(Lab);
