"""Alembic's entry: runs the migrations on the connection that `upgrade` hands it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
