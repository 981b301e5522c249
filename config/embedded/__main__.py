"""python -m config.embedded DATA_DIR: the watcher, started with the servers (see users.py)."""

import signal
import sys
from pathlib import Path

from config.embedded.users import watch

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch(Path(sys.argv[1]))
