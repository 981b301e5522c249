"""Where the project's shared data lies, next to the checkout; tests that need it skip where it is absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[1].parent / "shared"


def shared_path(*parts: str) -> Path:
    """The path of shared data, or a skip that says what is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"shared data is absent: {Path('..', 'shared', *parts)}")
    return path
