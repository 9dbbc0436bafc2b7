"""The same with the real models: the bundled sample for two hours, half an hour on a free core.

Run by `make soak`: python -m tests.soak.endurance_real [HOURS]
"""

import sys

from tests.soak.endurance import main

if __name__ == "__main__":
    sys.exit(main(real=True))
