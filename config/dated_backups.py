"""A folder of dated backups, each the database and the files that go with it: the newest are kept, the rest go."""

import os
import re
import shutil
import tarfile
from datetime import datetime
from pathlib import Path

from django.conf import settings

from config.backups import BackupFailed, dump

FILES = ".files.tar"  # after the name of the backup of the database
NAME = re.compile(r"litmus-\d{4}-\d\d-\d\d-\d{6}\.backup(\.files\.tar)?(\.unfinished)?")


def dated_backup(folder: Path, *, at: datetime, keep: int) -> Path:
    """A new backup in the folder, named by its time; of the earlier ones the newest `keep` - 1 stay.

    Earlier ones go only once the new one is whole. Errors: BackupFailed.
    """
    file = folder / f"litmus-{at:%Y-%m-%d-%H%M%S}.backup"
    for path in folder.glob("*.unfinished"):  # of a run that was killed
        if NAME.fullmatch(path.name):
            path.unlink()
    dump(file)
    pack_files(files_of(file))
    for old in sorted(path for path in folder.glob("*.backup") if NAME.fullmatch(path.name))[:-keep]:
        old.unlink()
        files_of(old).unlink(missing_ok=True)
    return file


def files_of(backup: Path) -> Path:
    """Where the files of this backup are."""
    return backup.with_name(backup.name + FILES)


def pack_files(archive: Path) -> None:
    """Uploaded files and those of releases, whole or not at all. Errors: BackupFailed."""
    unfinished = archive.with_name(archive.name + ".unfinished")
    try:
        with tarfile.open(unfinished, "w") as tar:
            if settings.MEDIA_ROOT.is_dir():
                for path in sorted(settings.MEDIA_ROOT.iterdir()):
                    if path != settings.FILE_UPLOAD_TEMP_DIR:  # still arriving
                        tar.add(path, path.name)
        unfinished.rename(archive)
    except OSError as error:
        raise BackupFailed(f"{archive} cannot be written: {error.strerror or error}.") from None
    finally:
        unfinished.unlink(missing_ok=True)


def unpack_files(backup: Path) -> int:
    """Put the files that lie next to the backup into their place; how many, 0 where there are none.

    None is overwritten. Errors: BackupFailed for a damaged archive.
    """
    archive, count = files_of(backup), 0
    if not archive.exists():
        return 0
    try:
        with tarfile.open(archive) as tar:
            for member in filter(tarfile.TarInfo.isfile, tar):
                place = _place(member.name)
                if not os.path.lexists(place):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with tar.extractfile(member) as packed, place.open("xb") as unpacked:  # type: ignore[union-attr]
                        shutil.copyfileobj(packed, unpacked)
                    count += 1
    except (OSError, tarfile.TarError) as error:
        raise BackupFailed(f"The database is restored, but not all files: {archive}: {error}") from None
    return count


def _place(name: str) -> Path:
    """Where a file of an archive goes. Python's own filter for this is not in every 3.11. Errors: TarError."""
    root = settings.MEDIA_ROOT.resolve()
    place = (root / name).resolve()
    if not place.is_relative_to(root):
        raise tarfile.TarError(f"{name} would be written elsewhere")
    return place
