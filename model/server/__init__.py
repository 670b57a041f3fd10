"""A model that runs elsewhere: the same reader as over weights in this process, over HTTP."""
