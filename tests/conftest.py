"""What holds for every test: property tests try the same examples each time, as everything here does, and
are not timed: a busy machine must not fail them.

`EXPLORE=1 make test` lets hypothesis look for new ones; what it finds becomes an `@example`.
"""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile("explore" if os.environ.get("EXPLORE") else "steady")
