"""`python -m unspoken`: the command."""

from unspoken.cli import main

main()
