"""The place of uploaded files of imports until nothing needs them any longer."""

import shutil
from pathlib import Path

from django.conf import settings

from corpus.models import ImportRun

UPLOADS = "imports"  # the directory below MEDIA_ROOT that holds uploaded files, one directory for each upload


def kept_directory(run: ImportRun) -> Path:
    """Where an import keeps what it has read while it waits for its turn to store it; removed when it ends."""
    return Path(settings.MEDIA_ROOT) / UPLOADS / f"read-{run.pk}"


def remove_uploads(run: ImportRun) -> None:
    """Delete the files that were uploaded for this import; files named on the command line stay untouched.

    Where any of them lay is forgotten: paths of the server are nobody's business once nothing reads there.
    """
    root = Path(settings.MEDIA_ROOT) / UPLOADS
    for file in run.files:
        if "path" not in file:
            continue  # a dry run's, which belongs to its import now
        directory = (Path(settings.MEDIA_ROOT) / file["path"]).parent
        if directory.parent == root:
            shutil.rmtree(directory, ignore_errors=True)
    run.files = [{name: value for name, value in file.items() if name != "path"} for file in run.files]
    ImportRun.objects.filter(pk=run.pk).update(files=run.files)
