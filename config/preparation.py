"""What `manage.py up` prepares before pages are served: static files, tables, the mark of the demo."""

from accounts.first_account import WITH_DEMO, announce_first_code, own_command
from config.apps import close_pools
from config.demo.loading import is_loaded, mark_loading
from config.demo.people import PASSWORD, accounts
from config.embedded.places import FileLock
from config.outside import check_database, check_redis
from config.staticfiles import collect_if_changed
from config.tables import bring_up_to_date


def check_and_collect() -> None:
    """What needs no server of ours. Errors: BadEnvironment when one of the operator's does not answer."""
    check_database()
    check_redis()
    collect_if_changed()


def prepare_database(*, demo: bool, public: bool) -> tuple[FileLock | None, str]:
    """Make the tables; the lock that says the demo is being loaded, if it is to be, and what to say to the person.

    Afterwards the children alone use the database.
    """
    bring_up_to_date()
    mark = mark_loading() if demo and not is_loaded() else None
    notes = notes_on_accounts(demo=demo, loading=mark is not None, public=public)
    close_pools()
    return mark, notes


def notes_on_accounts(*, demo: bool, loading: bool, public: bool) -> str:
    """Which accounts there are to sign in with, and how to begin without any."""
    lines = []
    if demo or is_loaded():
        start = "The demo is being loaded. Its" if loading else "Demo"
        lines.append(f"{start} accounts, all with the password {PASSWORD}:\n{accounts()}")
        if public:
            lines.append("This password is public: remove the demo if others can reach this machine.")
    elif code := announce_first_code():
        lines.append(f"{code}\nTo look around in an invented collection first: {own_command(WITH_DEMO)}")
    return "\n".join(lines)
