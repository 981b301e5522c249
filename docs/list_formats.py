"""Write docs/formats.md: all formats that are registered, each with a sample and its fields.

    python docs/list_formats.py [--check]

With `--check` nothing is written: exit 1 if the page is not what the registry says.
"""

import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))
PAGE = CHECKOUT / "docs" / "formats.md"


def main() -> int:
    """Write or check the page; the exit code."""
    from engines.formats.overview import as_markdown

    page = as_markdown()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text("utf-8") != page)
    PAGE.write_text(page, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
