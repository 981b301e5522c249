"""Which pictures of screens a release has."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Pictures:
    """{campaign's name in paths: path of its picture}, and why a campaign has none: {name: reason}.

    Of a release that is made again, `kept` is the folder that they are taken from: the browser of today may draw
    otherwise.
    """

    paths: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    kept: Path | None = None
