"""The routes, a file for each thing that is asked for."""
