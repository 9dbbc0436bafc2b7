"""The command line: `sueca COMMAND …`. Commands of `datasets` and `models` join by entry point."""

import contextlib
import io
import os
import sys
from importlib.metadata import entry_points

import typer

from assistant.commands import deck
from assistant.commands.read import read
from assistant.commands.review import review
from assistant.commands.score import score
from assistant.commands.serve import serve
from assistant.commands.watch import watch
from vision.errors import UserError

app = typer.Typer(
    name="sueca",
    help="A camera above a real card table, and the Sueca score keeps itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (read, watch, score, review, serve):
    app.command(command.__name__)(command)
app.add_typer(deck.app, name="deck")


def _join_commands() -> None:
    for point in entry_points(group="sueca.commands"):
        command = point.load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=point.name)
        else:
            app.command(point.name)(command)


UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""What typer raises where the command line itself is wrong; it gives the class no public name."""


def main() -> None:
    """Run the command line. What a user can mend is one line on stderr, and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ♥ must not end a game
    _join_commands()
    try:
        status = app(standalone_mode=False)
    except UsageError as error:
        _say_usage(error)
        sys.exit(2)
    except UserError as error:
        print(f"sueca: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        _say_system(error)
        sys.exit(2)
    except typer.Abort:
        print("sueca: stopped", file=sys.stderr)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _say_system(error: OSError) -> None:
    """A disk that is full, or a file that may not be written, where no command says it better."""
    where = f"{error.filename}: " if error.filename else ""
    reason = error.strerror or error
    print(f"sueca: {where}{reason}; check the disk and the permissions", file=sys.stderr)
    with contextlib.suppress(OSError, ValueError):
        # What stdout still holds cannot be written either, and would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say_usage(error: Exception) -> None:
    """A wrong option in one line; a bare command's help."""
    said = str(getattr(error, "format_message", error.__str__)()).strip()
    context = getattr(error, "ctx", None)
    if not said or type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help() if context else said, file=sys.stderr)
        return
    command = context.command_path if context else "sueca"
    print(f"sueca: {' '.join(said.split())} (see '{command} --help')", file=sys.stderr)


if __name__ == "__main__":
    main()
