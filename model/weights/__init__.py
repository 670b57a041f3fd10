"""From a name to safe weights: locate, check, place on a device."""
