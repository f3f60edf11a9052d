"""The index of stored values: flat sorted arrays, saved beside the database and mapped back."""

from semantic_layer.index.base import Base, Place, Stored, build

__all__ = ["Base", "Place", "Stored", "build"]
