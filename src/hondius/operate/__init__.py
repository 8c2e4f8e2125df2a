"""Operating a crawl: the command line."""
