"""One file a command; heavy modules are imported only when a command runs."""
