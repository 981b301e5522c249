"""The secret of this installation, by which it signs."""

import secrets
from pathlib import Path

from config.embedded.places import EmbeddedError, FileLock, private_directory


def secret_key(data_dir: Path) -> str:
    """The secret of this installation: made at the first call, then read from the data directory (mode 0600).

    Errors: EmbeddedError where it cannot be read or made.
    """
    path = data_dir / "secret-key"
    try:
        return path.read_text().strip()
    except PermissionError:
        raise EmbeddedError(
            f"{path} may not be read by this user. Run Litmus as the user who started it first, or set LITMUS_DATA_DIR "
            "to your own directory."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        private_directory(data_dir)
    with FileLock(data_dir / "secret-key.lock"):
        if not path.exists():
            fresh = path.with_suffix(".new")
            fresh.touch(mode=0o600)
            fresh.write_text(secrets.token_urlsafe(50) + "\n")
            fresh.replace(path)
    return path.read_text().strip()
