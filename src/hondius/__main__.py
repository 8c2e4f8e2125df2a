"""`hondius`, and `python -m hondius`."""

import gc

from hondius.garbage import collect_rarely


def main() -> None:
    """Modules stay to the end: the collector does not look at them while they are imported, either."""
    gc.disable()
    from hondius.operate.cli.main import main

    collect_rarely()
    gc.enable()
    main()


if __name__ == "__main__":
    main()
