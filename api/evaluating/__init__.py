"""Evaluation as it is served: an installation for each worker, and reports for people and pipelines."""
