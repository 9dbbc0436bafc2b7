"""The scribe: from table events to plays. `Scribe.feed` and `Scribe.finish` are all of it."""

from assistant.scribe.priors import Geometry, Priors
from assistant.scribe.scribe import Scribe, ScribeOptions

__all__ = ["Geometry", "Priors", "Scribe", "ScribeOptions"]
