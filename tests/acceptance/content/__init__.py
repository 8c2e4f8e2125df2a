"""`make accept ONLY=content`: what a crawl knows about the content of pages."""
