"""What holds for every test: property tests try the same examples each time, as everything here does.

`EXPLORE=1 make test` lets hypothesis look for new ones; what it finds becomes an `@example`.
"""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile("explore" if os.environ.get("EXPLORE") else "steady")
