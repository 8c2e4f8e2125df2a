"""Output for people: progress while a crawl runs, the summary at its end, explanations, descriptions of causes."""
