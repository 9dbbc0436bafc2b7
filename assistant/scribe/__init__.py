"""The scribe: from table events to plays. `Scribe.feed` and `Scribe.finish` are nearly all of it."""

from assistant.scribe.carried import Carried
from assistant.scribe.priors import Geometry, Priors
from assistant.scribe.scribe import Scribe, ScribeOptions

__all__ = ["Carried", "Geometry", "Priors", "Scribe", "ScribeOptions"]
