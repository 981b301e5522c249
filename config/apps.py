import atexit
import contextlib
import os
import tempfile
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

# Static files that no page asks for: REST framework's own pages, and a second way to show the API's description.
NOT_COLLECTED = ["rest_framework", "redoc"]


class ConfigConfig(AppConfig):
    name = "config"
    tabs = {"config": "config.tabs.TABS"}

    def ready(self) -> None:
        """Register checks, exclude static files, make the directory for uploads, close the connection pools at exit."""
        from django.contrib.staticfiles.apps import StaticFilesConfig  # here: one configuration is that of this app

        from config.checks import check_database_version, check_files, check_plugins, check_site_url

        register(check_plugins, deploy=True)  # of a deployment alone: looking for packages takes a moment
        register(check_site_url, deploy=True)
        register(check_files, deploy=True)
        register(check_database_version, Tags.database)

        StaticFilesConfig.ignore_patterns = [*StaticFilesConfig.ignore_patterns, *NOT_COLLECTED]
        with contextlib.suppress(OSError):  # Django's own check reports when it is missing
            Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(parents=True, exist_ok=True)
            _spool_there()
        atexit.register(close_pools)


def _spool_there() -> None:
    """Our temporary files go there too, unless the operator has said where: spooled copies may be as large as uploads.

    Not those of programs that we start: Chromium's sockets need short paths.
    """
    if "TMPDIR" not in os.environ:
        tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)


def close_pools() -> None:
    """End the threads of the connection pools while that still works: later the interpreter cannot join them."""
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.close()
            connection.close_pool()
