"""`python -m aslant` is the command `aslant`."""

from aslant.cli import main

if __name__ == "__main__":
    main()
