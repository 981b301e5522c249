"""Where the code of Litmus is: in the wheel inside this package, in a checkout next to it."""

import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
IS_INSTALLED = (HERE / "_app").is_dir()
APP = HERE / "_app" if IS_INSTALLED else HERE.parent


def version() -> str:
    """Litmus's, as installed, or of the checkout."""
    if IS_INSTALLED:
        from importlib.metadata import version as installed

        return installed("litmus-ir")
    return str(tomllib.loads((APP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
