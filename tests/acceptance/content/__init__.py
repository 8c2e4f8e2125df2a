"""What Hondius knows of the content of pages."""
