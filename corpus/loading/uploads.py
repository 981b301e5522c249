"""Where uploaded files are: those of imports until nothing needs them any longer, those of papers with their pages."""

from pathlib import PurePosixPath

from accounts.files.storage import files
from corpus.models import ImportRun

UPLOADS = "imports"  # in the storage: what holds uploaded files, one folder for each upload


def kept_folder(run: ImportRun) -> str:
    """Where an import keeps what it has read while it waits for its turn to store it; removed when it ends."""
    return f"{UPLOADS}/read-{run.pk}"


def uploads_of(run: ImportRun) -> list[str]:
    """The folders of the files that were uploaded for this import and are its own."""
    # A dry run's file without a path belongs to its import now.
    folders = {PurePosixPath(file["path"]).parent for file in run.files if "path" in file}
    return sorted(folder.as_posix() for folder in folders if folder.parent.as_posix() == UPLOADS)


def remove_uploads(run: ImportRun) -> None:
    """Delete the files that were uploaded for this import; files named on the command line stay untouched.

    Where any of them lay is forgotten: paths of the server are nobody's business once nothing reads there.
    """
    for folder in uploads_of(run):
        files.remove_folder(folder)
    run.files = [{name: value for name, value in file.items() if name != "path"} for file in run.files]
    ImportRun.objects.filter(pk=run.pk).update(files=run.files)


def papers_of(collection_id: int) -> str:
    """The folder of the files of a collection's papers, with the pictures of their pages."""
    return f"papers/{collection_id}"


def pictures_of(paper_file: str) -> str:
    """The folder of the pictures of its pages."""
    return f"{paper_file}.pages"


def remove_paper_file(name: str) -> None:
    """Delete the file of a paper and the pictures of its pages."""
    files.delete(name)
    files.remove_folder(pictures_of(name))
