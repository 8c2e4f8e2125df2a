"""`make accept ONLY=content`: what a crawl knows of its content."""
