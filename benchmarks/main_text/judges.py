"""Extractors in Python that Hondius is held against: JSON lines in, JSON lines out. Runs in the judges' environment."""

import base64
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module


def choose(name: str) -> Callable[[bytes], str]:
    if name.startswith("trafilatura"):
        trafilatura = import_module("trafilatura")
        with_comments = name.endswith("comments")
        return lambda body: trafilatura.extract(body, include_comments=with_comments) or ""
    encoding = import_module("resiliparse.parse.encoding")
    parser = import_module("resiliparse.parse.html")
    html2text = import_module("resiliparse.extract.html2text")

    def extract(body: bytes) -> str:
        tree = parser.HTMLTree.parse(encoding.bytes_to_str(body, encoding.detect_encoding(body)))
        return str(html2text.extract_plain_text(tree, main_content=True))

    return extract


def main() -> None:
    extract = choose(sys.argv[1])
    for line in sys.stdin:
        body = base64.b64decode(json.loads(line)["body_b64"])
        start = time.process_time()
        text = extract(body)
        seconds = time.process_time() - start
        sys.stdout.write(json.dumps({"text": text, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main()
