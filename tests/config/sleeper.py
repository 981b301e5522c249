"""What test_leash.py runs on a leash."""

import signal
import sys
import time

if __name__ == "__main__":
    if "stubborn" in sys.argv:
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    sys.stdout.write("sleeping\n")
    sys.stdout.flush()
    time.sleep(300)
