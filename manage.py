#!/usr/bin/env python
"""Litmus on the command line. Commands that need PostgreSQL or Redis get the embedded ones by default."""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator

# Commands that touch neither database nor Redis, so that nothing is started for them; `restore` and `up` start them
# themselves, when all is well.
WITHOUT_SERVERS = {
    "", "help", "--help", "-h", "version", "--version", "check", "collectstatic", "compilemessages", "diffsettings",
    "findstatic", "formats", "makemessages", "restore", "spectacular", "up", "down", "status", "open", "service",
}  # fmt: skip
# Commands that work on any tables or on none; all others get the tables of this version first.
ON_ANY_TABLES = {
    "backup", "dbshell", "inspectdb", "makemigrations", "migrate", "optimizemigration", "showmigrations", "sqlmigrate",
    "squashmigrations",
}  # fmt: skip


@contextlib.contextmanager
def servers_for(arguments: list[str]) -> Iterator[None]:
    """The embedded servers that this command needs run inside the block, with the tables that it needs."""
    import django
    from django.conf import settings

    command = arguments[0] if arguments else ""
    if command in WITHOUT_SERVERS or "--help" in arguments:
        yield
        return

    from config import embedded
    from config.apps import close_pools
    from config.outside import check_database
    from config.tables import bring_up_to_date

    check_database()
    with embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS):
        try:
            if command not in ON_ANY_TABLES:
                django.setup()
                bring_up_to_date()
            if command == "runserver" and "RUN_MAIN" not in os.environ:  # not again in the process it restarts
                from accounts.first_account import announce_first_code

                print(announce_first_code(), flush=True)  # also where a log has it
            yield
        finally:
            close_pools()  # while their server still runs: later their threads would try to reach it for seconds


def run(arguments: list[str]) -> None:
    """Run the command. `up` sets Django up itself, while its web server does the same."""
    if arguments[1:2] == ["up"]:
        from config.management.commands.up import Command

        Command().run_from_argv(arguments)
    else:
        from django.core.management import execute_from_command_line

        execute_from_command_line(arguments)


def main() -> int:
    gc.set_threshold(100_000)  # what is loaded stays: looking for garbage in it was an eighth of a start
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        import django  # noqa: F401
    except ImportError:
        print("Django is not installed here. Run `make setup`, then use .venv/bin/python manage.py …", file=sys.stderr)
        return 1
    from config.embedded import EmbeddedError
    from config.env import BadEnvironment

    try:
        with servers_for(sys.argv[1:]):
            run(sys.argv)
        sys.stdout.flush()
    except (BadEnvironment, EmbeddedError) as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # `export … | head` has read enough; the interpreter must not flush into it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
