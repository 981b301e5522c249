"""Static files under names that carry their hash, so that browsers may keep them for ever."""

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports between our own ES modules (static/js/) to the hashed names.

    Only ours: libraries import by names that an import map or a bundler would have to resolve.
    """

    patterns: tuple[Any, ...]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        _, rewriting = self._js_module_import_aggregation_patterns
        self.patterns = (*self.patterns, ("js/*.js", rewriting))
        super().__init__(*arguments, **options)


def collect_if_changed() -> bool:
    """Collect, hash and compress the static files, unless that was done for the very same files; whether it was."""
    stamp = Path(settings.STATIC_ROOT) / "collected"
    state = fingerprint()
    if stamp.exists() and stamp.read_text() == state:
        return False
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(state)
    return True


def fingerprint() -> str:
    """Changes when a static file or the way of collecting changes."""
    state = hashlib.sha256(Path(__file__).read_bytes())
    for finder in get_finders():
        for path, storage in finder.list([]):
            found = Path(storage.path(path)).stat()
            state.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return state.hexdigest()
