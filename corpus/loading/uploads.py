"""Where uploaded files are: those of imports until nothing needs them any longer, those of papers with their pages."""

from pathlib import PurePosixPath

from accounts.files.storage import files
from corpus.models import ImportRun

UPLOADS = "imports"  # in the storage: what holds uploaded files, one folder for each upload


def kept_folder(run: ImportRun) -> str:
    """Where an import keeps what it has read while it waits for its turn to store it; removed when it ends."""
    return f"{UPLOADS}/read-{run.pk}"


def remove_uploads(run: ImportRun) -> None:
    """Delete the files that were uploaded for this import; files named on the command line stay untouched.

    Where any of them lay is forgotten: paths of the server are nobody's business once nothing reads there.
    """
    for file in run.files:
        if "path" not in file:
            continue  # a dry run's, which belongs to its import now
        folder = PurePosixPath(file["path"]).parent
        if folder.parent.as_posix() == UPLOADS:
            files.remove_folder(folder.as_posix())
    run.files = [{name: value for name, value in file.items() if name != "path"} for file in run.files]
    ImportRun.objects.filter(pk=run.pk).update(files=run.files)


def pictures_of(paper_file: str) -> str:
    """The folder of the pictures of its pages."""
    return f"{paper_file}.pages"


def remove_paper_file(name: str) -> None:
    """Delete the file of a paper and the pictures of its pages."""
    files.delete(name)
    files.remove_folder(pictures_of(name))
