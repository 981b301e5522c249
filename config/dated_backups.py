"""A folder of dated backups, each the database and the files that go with it: the newest are kept, the rest go."""

import re
import tarfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files.base import File

from accounts.files.storage import files
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
    """Uploaded files and those of releases, whole or not at all; none where they are in a bucket, which keeps them.

    Errors: BackupFailed.
    """
    if settings.BUCKET:
        return
    unfinished = archive.with_name(archive.name + ".unfinished")
    try:
        with tarfile.open(unfinished, "w") as tar:
            for name, _ in sorted(files.sizes()):
                with suppress(FileNotFoundError):  # deleted meanwhile, as uploads are
                    tar.add(files.path(name), name)
        unfinished.rename(archive)
    except OSError as error:
        raise BackupFailed(f"{archive} cannot be written: {error.strerror or error}.") from None
    finally:
        unfinished.unlink(missing_ok=True)


def unpack_files(backup: Path) -> int:
    """Put the files that lie next to the backup into the folder or bucket of files; how many, 0 where there are none.

    None is overwritten. Errors: BackupFailed for a damaged archive.
    """
    archive, count = files_of(backup), 0
    if not archive.exists():
        return 0
    try:
        with tarfile.open(archive) as tar:
            for member in filter(tarfile.TarInfo.isfile, tar):
                if not files.exists(member.name):
                    files.save(member.name, File(tar.extractfile(member)))
                    count += 1
    except (OSError, tarfile.TarError, SuspiciousOperation) as error:  # the last: it would be written elsewhere
        raise BackupFailed(f"The database is restored, but not all files: {archive}: {error}") from None
    return count
