"""Comment lines: counted, so that nothing of a file goes missing in silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engines.formats.records import Remark

MARK = "#"


def is_comment(text: str) -> bool:
    """Whether a line is a comment."""
    return text.lstrip().startswith(MARK)


@dataclass(slots=True)
class Comments:
    """The comment lines of a file as far as it has been read."""

    file: str
    count: int = 0

    def take(self, text: str) -> bool:
        """Count the line if it is a comment, and return whether it is one."""
        if MARK not in text or not is_comment(text):
            return False
        self.count += 1
        return True

    def remarks(self) -> Iterator[Remark]:
        """What to say of them when the file has been read."""
        if self.count:
            lines = "one comment line" if self.count == 1 else f"{self.count:,} comment lines"
            yield Remark(self.file, 0, f"{lines} ({MARK}) not read")
