// The entry of what stands below the sentence to remember: the tree's component draws into it.

import { inOrder } from "../../frame/live/stale_updates.js";
import { placeBelow } from "./futures.js";

export default inOrder(placeBelow);
