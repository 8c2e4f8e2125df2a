"""The command line `hondius`: one file for each command, with the name of the command. `COMMANDS` in `main.py` lists
them; each file has a function `register`, which adds its command to the application.

A command checks all its arguments before it writes anything. An error is one line on standard error that says what to
do about it. Exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted.

    main.py                  the entry point
    options.py, batch.py     options that several commands share
    setting_options.py       options for settings; set_option.py: `--set`
    launch.py, session.py    run a crawl, for `crawl` and `resume`
    seed_input.py            opens and checks the seeds that a command is given
    orders.py                sends an order to a crawl, whether it runs or not
    queue.py                 `queue.json`: how much is queued; queue_refresh.py updates it after a crash
    host_restrictions.py     hosts that are paused, slowed down or failing
    sanitise.py, streams.py  make text of strangers safe for the terminal
    logs.py                  `crawl.log`
    display/                 progress, summary, explanation
"""
