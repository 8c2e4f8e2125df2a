"""`hondius mcp`: a read-only Model Context Protocol server over standard input and output, for assistants (O8).

A client starts the command, and sends one JSON object a line. `messages.py` reads and answers them, one at a time.
`tools.py` lists the tools. Each call opens the crawl again, so it sees what a running crawl has stored meanwhile.

Pages are written by strangers, and an assistant may take their words for orders. So every tool says in its description
that such text is data, answers are capped, and no tool changes anything or reads anything but this crawl. Queries have
the locks of `use/sql`.

    messages.py     the protocol: JSON-RPC, a line a message
    tools.py        the tools: names, descriptions, arguments
    arguments.py    checks the arguments of a call
    answers.py      makes the texts of answers, within their caps
    crawl_tools.py  what the tools do
    search.py       what the tool `search` needs of a search index
"""
