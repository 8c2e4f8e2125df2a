"""Extractors in Python that Hondius is held against: JSON lines in, JSON lines out. Runs in the judges' environment."""

import base64
import json
import sys
import time
from collections.abc import Callable


def choose(name: str) -> Callable[[bytes], str]:
    if name == "trafilatura":
        import trafilatura

        return lambda body: trafilatura.extract(body, include_comments=False) or ""
    if name == "trafilatura with comments":
        import trafilatura

        return lambda body: trafilatura.extract(body) or ""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    def extract(body: bytes) -> str:
        tree = HTMLTree.parse(bytes_to_str(body, detect_encoding(body)))
        return str(extract_plain_text(tree, main_content=True))

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
