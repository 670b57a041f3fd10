// The entry: one Live per place in the page.

import { mountOnce } from "../../frame/live/stale_updates.js";
import { Live } from "./live.js";

export default mountOnce(Live);
