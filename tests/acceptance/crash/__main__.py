"""`make crash N=1000`: resumes from the stored rounds, runs until there were so many kills, and prints the sum."""

import argparse
import sys
from pathlib import Path

from tests.acceptance.crash.dealing import TURNS, deal, show, sum_of
from tests.acceptance.crash.plans import PLANS
from tests.acceptance.crash.rounds import Player
from tests.acceptance.crash.state import DEFAULT, State


def main() -> int:
    options = _options()
    state = State(options.state, options.seed, fresh=options.fresh)
    if state.others:
        print(f"{state.others} rounds of other builds are not counted")
    if state.rounds:
        print(f"going on from {state.dealt} kills in {len(state.rounds)} rounds")
    turns = [(plan, at_once) for plan, at_once in TURNS if options.only in ("", plan.name)]
    player = Player(state.build, options.seed, options.state / "failed")
    interrupted = False
    try:
        for played in deal(state, player, options.kills, turns):
            show(played)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted: the rounds under way are lost, the others kept; the same command goes on", file=sys.stderr)
    for line in sum_of(state.rounds):
        print(line)
    if any(played.faults for played in state.rounds):
        return 1
    return 130 if interrupted else int(state.dealt < options.kills)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how many in all, those of earlier runs included")
    parser.add_argument("--seed", type=int, default=1, help="another one kills other webs at other moments")
    parser.add_argument("--state", type=Path, default=DEFAULT, help="directory where rounds are kept")
    parser.add_argument("--fresh", action="store_true", help="forget the rounds that are kept there")
    parser.add_argument("--only", choices=("", *PLANS), default="", help="rounds of one kind")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
