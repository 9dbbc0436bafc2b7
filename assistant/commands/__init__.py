"""One module a command of the `sueca` command line."""
