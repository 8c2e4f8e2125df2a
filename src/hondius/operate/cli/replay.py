"""`hondius replay`: shows a crawl in a browser, from its archive (O1)."""

import asyncio
from typing import Annotated

import typer

from hondius.opening import open_crawl
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory

PORT = 8080
WARNING = (
    "scripts of archived pages run: known ways out of the archive are closed, but a script may know others; "
    "run the browser without a network if that matters"
)


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(
    directory: Directory,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0 chooses one that is free.")
    ] = PORT,
    scripts: Annotated[
        bool,
        typer.Option(
            "--scripts", help="Let scripts of archived HTML pages run, in a sandbox without storage or network."
        ),
    ] = False,
) -> None:
    """Show a crawl in a browser, as it was archived. Only this computer can read it; nothing is requested from the web.
    Also works while the crawl runs.
    """
    from hondius.use.replay import ReplayServer, ReplaySite, serve_until_stopped
    from hondius.use.replay.server import ADDRESS, listen

    with open_crawl(directory) as crawl, listen(port) as listener:
        crawl.catalog.totals()  # a crawl that cannot be read is reported at once, not at the first request
        chosen = listener.getsockname()[1]
        server = ReplayServer(listener, ReplaySite(crawl, port=chosen, scripts=scripts).answer)
        address = f"http://{ADDRESS}:{chosen}/"
        if scripts:
            say(WARNING)
        asyncio.run(serve_until_stopped(server, lambda: print(f"replay of {directory}: {address}", flush=True)))
