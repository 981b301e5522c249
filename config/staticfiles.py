"""Static files under names that carry their hash, so that browsers may keep them for ever."""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files.base import ContentFile
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEET = re.compile(r"css/[\w-]+\.css")  # what pages ask for; its parts are in folders
STAMP = "collected"  # the file that says of which static files a folder was made
PART_OF_A_SHEET = re.compile(r'^@import url\("([\w/-]+\.css)"\);$', re.MULTILINE)


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports between our own ES modules (static/js/) to the hashed names, and joins style sheets.

    Only our modules: libraries import by names that an import map or a bundler would have to resolve. A style sheet
    that imports its parts (static/css/components.css) gets their text, so that browsers ask for one file.
    """

    patterns: tuple[Any, ...]
    # Each takes in names one import further, in the order in which the disk lists files: Django's five are too few on
    # some disks. It ends as soon as no name changes.
    max_post_process_passes = 50

    def __init__(self, *arguments: Any, **options: Any) -> None:
        _, rewriting = self._js_module_import_aggregation_patterns
        self.patterns = (*self.patterns, ("js/*.js", rewriting))
        super().__init__(*arguments, **options)

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        sheets = [] if dry_run else [name for name in paths if SHEET.fullmatch(name)]
        for name in sheets:
            self.delete(name)
            self.save(name, ContentFile(joined(name, paths)))
        yield from super().post_process(paths | {name: (self, name) for name in sheets}, dry_run, **options)


def joined(name: str, paths: dict[str, Any]) -> str:
    """The text of a style sheet with its parts, from the sources and not from what was collected earlier.

    `paths` has the storage of each file and its path there.
    """
    folder, (storage, path) = PurePosixPath(name).parent, paths[name]
    with storage.open(path) as file:
        text = file.read().decode()
    return PART_OF_A_SHEET.sub(lambda part: joined(str(folder / part[1]), paths), text)


def collect_if_changed() -> bool:
    """Collect, hash and compress the static files, unless that was done for the very same files; whether it was.

    The wheel brings them collected. They are copied where they are those of the installed libraries, whose versions
    may be others than those that the wheel was made with.
    """
    place, state = Path(settings.STATIC_ROOT), fingerprint()
    if _stamp(place) == state:
        return False
    packaged = settings.BASE_DIR / "collected"
    if _stamp(packaged)[1:] == state[1:]:
        shutil.copytree(packaged, place, dirs_exist_ok=True)
    else:
        call_command("collectstatic", interactive=False, verbosity=0)
    (place / STAMP).write_text("\n".join(state))
    return True


def _stamp(place: Path) -> list[str]:
    return (place / STAMP).read_text().splitlines() if (place / STAMP).exists() else []


def fingerprint() -> list[str]:
    """Changes when a static file or the way of collecting changes: by the times of files, and by their texts alone."""
    times, texts = (hashlib.sha256(Path(__file__).read_bytes()) for _ in range(2))
    for finder in get_finders():
        for path, storage in finder.list([]):
            file = Path(storage.path(path))
            times.update(f"{path} {file.stat().st_size} {file.stat().st_mtime_ns}\n".encode())
            texts.update(f"{path}\n".encode() + file.read_bytes())
    return [times.hexdigest(), texts.hexdigest()]


if __name__ == "__main__":  # `make wheel`
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    collect_if_changed()
