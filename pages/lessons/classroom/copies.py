"""Which of several copies of the app a room is on: its code begins with the copy’s letters."""

import os
import re
from string import ascii_uppercase


def copy_letters() -> str:
    """Returns with which letters the codes of this copy of the app begin, as its operator says.

    They are given, or follow from the name of a pod: A for one-token-0, B for one-token-1.
    """
    given = os.environ.get("ONE_TOKEN_COPY", "").strip().upper()
    ordinal = re.fullmatch(r"[A-Z0-9.-]+-([0-9]|1[0-9]|2[0-5])", given)
    letters = ascii_uppercase[int(ordinal[1])] if ordinal else given
    return letters if re.fullmatch("[A-Z]{1,2}", letters) else ""
