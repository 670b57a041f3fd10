"""A child that ends itself as a library may, with the status that many an error has."""

import os

from model.machine.child import answer

if __name__ == "__main__":
    answer(lambda: os._exit(1))
