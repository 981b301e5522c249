"""What test_leash.py runs on a leash."""

import sys
import time

if __name__ == "__main__":
    sys.stdout.write("sleeping\n")
    sys.stdout.flush()
    time.sleep(300)
