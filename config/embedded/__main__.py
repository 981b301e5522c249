import sys

from config.embedded.keeper import main

sys.exit(main(*sys.argv[1:]))
