"""Runs with the judges' Python: makes a graph, and writes its edges and its PageRank by rustworkx."""

import json
import random
import sys

import rustworkx  # type: ignore[import-not-found]


def main() -> None:
    nodes, edges, seed = map(int, sys.argv[1:4])
    chance = random.Random(seed)
    exponent = 3.0 if sys.argv[4] == "few" else 1.0
    """Most links lead to few nodes."""
    pairs = set()
    for _ in range(edges):
        source, target = chance.randrange(nodes), int(nodes * chance.random() ** exponent)
        if source != target:
            pairs.add((source, target))
    known = sorted({node for pair in pairs for node in pair})
    graph = rustworkx.PyDiGraph()
    index = dict(zip(known, graph.add_nodes_from(known), strict=True))
    graph.add_edges_from([(index[source], index[target], 1.0) for source, target in sorted(pairs)])
    ranks = rustworkx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1_000)
    told = {"edges": sorted(pairs), "ranks": {node: ranks[index[node]] for node in known}}
    with open(sys.argv[5], "w") as file:
        json.dump(told, file)


main()
