"""The versions of the ledger, one migration each."""
