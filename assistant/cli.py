"""The command line: `sueca COMMAND …`. Commands of `datasets` and `models` join by entry point."""

import sys
from importlib.metadata import entry_points

import typer

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


def _join_commands() -> None:
    for point in entry_points(group="sueca.commands"):
        command = point.load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=point.name)
        else:
            app.command(point.name)(command)


def main() -> None:
    """Run the command line; a `UserError` is one line on stderr and exit status 2."""
    _join_commands()
    try:
        app()
    except UserError as error:
        print(f"sueca: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
