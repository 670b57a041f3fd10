"""From a name to safe weights: locate, check, place on a device.

One model is built at a time, whoever asks. While transformers builds or reads a model it changes,
for all threads, what torch's initialisers do, whether heads are tied to embeddings, and torch's
default dtype. A model that another thread builds meanwhile comes out without its head.
"""

import threading

building = threading.RLock()  # held by whatever builds a model of transformers' classes
