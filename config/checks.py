"""What `manage.py check --deploy` says about this installation, and `migrate` about its database."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django calls it so

from accounts.extensions import extensions
from accounts.files.storage import FilesAway, files
from config.env import BadEnvironment
from config.tables import check_version
from engines.plugins import BrokenPlugin

HINT = "Repair or remove the package. Its stored data is kept and shown under its name."


def broken_plugins() -> list[BrokenPlugin]:
    """Entries of other packages that cannot be used, of all registries that the apps declare."""
    return [broken for registry in extensions("registries").values() for broken in registry.broken]


def check_plugins(**_: Any) -> list[CheckMessage]:
    """A warning for each of them."""
    return [Warning(str(broken), hint=HINT, id="litmus.W001") for broken in broken_plugins()]


def check_site_url(**_: Any) -> list[CheckMessage]:
    """A warning where nobody said how people reach this installation."""
    if settings.SITE_URL_IS_GIVEN:
        return []
    words = f"LITMUS_SITE_URL is not set: links in mails and on pages lead to {settings.SITE_URL}."
    return [Warning(words, hint="Set it to the address that people open.", id="litmus.W002")]


def check_database_version(**about: Any) -> list[CheckMessage]:
    """An error before `migrate` takes the tables of another version for its own."""
    if not about.get("databases"):
        return []
    try:
        check_version()
    except BadEnvironment as error:
        return [Error(str(error), id="litmus.E001")]
    return []


def check_files(**_: Any) -> list[CheckMessage]:
    """An error where files can be neither stored nor read."""
    try:
        files.check()
    except FilesAway as error:
        return [Error(str(error), hint="Correct LITMUS_BUCKET_URL or LITMUS_MEDIA_ROOT.", id="litmus.E002")]
    return []
