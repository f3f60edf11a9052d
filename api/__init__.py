"""The faces of the service. No decisions here: they translate."""
