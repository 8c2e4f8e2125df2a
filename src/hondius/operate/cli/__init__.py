"""The command line `hondius`: one file for each command, with the name of the command. `COMMANDS` in `main.py` lists
them; each file has a function `register`, which adds its command to the application.

A command checks all its arguments before it writes anything. An error is one line on standard error that says what to
do about it. Exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted, 141 the output was closed.

    main.py                  the entry point
    options.py, batch.py     options that several commands share
    usage_errors.py          what is wrong with the arguments
    messages.py, signals.py  lines on standard error; Ctrl-C
    setting_options.py       options for settings; set_option.py: `--set`
    launch.py, session.py    run a crawl, for `crawl` and `resume`
    orders.py                sends an order to a crawl, whether it runs or not
    idle_lock.py             locks a crawl that must not be running
    extract_trial.py         `hondius extract --try`
    queue.py                 describes `queue.json`: how much is queued; queue_refresh.py updates it after a crash
    streams.py               standard output and error: closed pipes, text of strangers (by `hondius/sanitise.py`)
    display/                 progress, summary, explanation

Seeds, `queue.json`, `crawl.log`, and the hosts that are paused or failing are also for programs, so their code is in
`hondius/session/`: `seed_input.py`, `queue.py`, `crawl_log.py`, `host_restrictions.py`.
"""
