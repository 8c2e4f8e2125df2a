"""What commands draw: progress while a crawl runs, the summary at its end, an explanation, causes in words."""
