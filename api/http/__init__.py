"""The service: HTTP and server-sent events. `app.create_app` makes it from `settings`."""
