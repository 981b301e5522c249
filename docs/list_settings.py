"""Write docs/configuration.md: every environment variable that Litmus reads.

python docs/list_settings.py
"""

import os
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))
PAGE = CHECKOUT / "docs" / "configuration.md"


def main() -> None:
    os.environ.setdefault("LITMUS_DATA_DIR", str(CHECKOUT / "build" / "data"))  # for the secret that settings make
    from config.settings import env
    from config.variables import as_markdown

    PAGE.write_text(as_markdown(env), "utf-8")


if __name__ == "__main__":
    main()
