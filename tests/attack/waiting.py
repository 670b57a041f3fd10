"""A child that waits for what does not come: it takes no time of the processor."""

import threading

from model.machine.child import answer

if __name__ == "__main__":
    answer(threading.Event().wait)
