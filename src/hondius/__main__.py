"""`hondius`, and `python -m hondius`."""

import gc

YOUNG = 20_000
"""Objects that may be made before the garbage collector looks at them. A page makes hundreds, and hardly one is part of
a cycle: looked at every 700 objects, as Python does by itself, they cost a crawl a thirtieth of its time."""


def main() -> None:
    """Modules stay to the end, so the collector looks at them neither while they are imported nor later."""
    gc.disable()
    from hondius.operate.cli.main import main

    gc.freeze()
    gc.set_threshold(YOUNG)
    gc.enable()
    main()


if __name__ == "__main__":
    main()
