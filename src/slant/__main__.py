"""`python -m slant` is the command `slant`."""

from slant.cli import main

if __name__ == "__main__":
    main()
