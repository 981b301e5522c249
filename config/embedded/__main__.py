"""python -m config.embedded DATA_DIR LOCK: the watcher."""

import sys
from pathlib import Path

from config.embedded import watch

if __name__ == "__main__":
    watch(Path(sys.argv[1]), int(sys.argv[2]))
