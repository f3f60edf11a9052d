"""The parts of a layer, each resolved in a file of its own; `semantic_layer.build` puts them together."""
