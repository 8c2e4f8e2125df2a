"""Reads, checks and exports crawls. Nothing here is needed to crawl."""
