"""Which pages may talk to this server: its own."""

from urllib.parse import urlsplit


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a request comes from our own page, or from no page at all, as a script's does."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == host
    except ValueError:  # no address at all
        return False
