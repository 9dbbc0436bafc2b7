"""What can go wrong outside the program, said so that a person can act on it."""

from collections.abc import Iterable


class UserError(Exception):
    """A fault the user can mend. The message is one line: what, where, what to do.

    The command line prints it to stderr and exits with status 2; it is never a traceback.
    """


def one_of(option: str, value: str, known: Iterable[str]) -> str:
    """The value of a command's option, which must be one of a few.

    Raises:
        UserError: it is not; the message lists them.
    """
    names = list(known)
    if value not in names:
        raise UserError(f"--{option} {value}: not known; choose one of {', '.join(names)}")
    return value
