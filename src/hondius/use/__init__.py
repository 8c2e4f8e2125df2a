"""What can be done with a crawl that was made: nothing here fetches, and nothing here is needed to crawl."""
