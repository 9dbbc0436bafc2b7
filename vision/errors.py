"""What can go wrong outside the program, said so that a person can act on it."""


class UserError(Exception):
    """A fault the user can mend. The message is one line: what, where, what to do.

    The command line prints it to stderr and exits with status 2; it is never a traceback.
    """
