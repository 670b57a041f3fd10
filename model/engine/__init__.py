"""Who runs the passes of a model: weights in this process, or a server that holds them."""
