"""The chat page: native ES modules, served as they stand here; nothing is built."""
