"""Small crawls that are killed or damaged. `make crash` kills larger ones, and more often."""
