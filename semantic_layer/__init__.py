"""Floor 1: what can be asked. A layer is loaded by `load`, its parts are in `model`."""
