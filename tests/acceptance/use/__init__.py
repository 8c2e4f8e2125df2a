"""What people do with a crawl: `make accept ONLY=use`."""
