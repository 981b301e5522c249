"""Large libraries that an installation may lack: where one is needed, what to install is said."""

from importlib.util import find_spec

EXTRAS = {  # library: the extra of litmus-ir that brings it, what needs it
    "pyarrow": ("parquet", "Parquet files"),
    "matplotlib": ("figures", "Figures for papers"),
    "storages": ("s3", "Files in a bucket"),
}


class Lacking(Exception):
    """The library is not installed; says what needs it and how to install it."""


def lacking(library: str) -> str:
    """What to say where it is not installed, "" where it is."""
    extra, what = EXTRAS[library]
    if find_spec(library):
        return ""
    return f"{what} need {library}, which is not installed here. Install litmus-ir[{extra}], which includes it."


def require(library: str) -> None:
    """Errors: Lacking."""
    if words := lacking(library):
        raise Lacking(words)
