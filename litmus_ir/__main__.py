"""python -m litmus_ir: the program `litmus`."""

import sys

from litmus_ir.command import main

if __name__ == "__main__":
    sys.exit(main())
