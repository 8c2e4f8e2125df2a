"""Is the main text of a page found? (A5)

Each extractor reads the same pages, one after the other, in one process, and says what each page took of the processor.
`pages.py` brings the pages: the suite of real articles (`HONDIUS_SUITES`), and our own 60 pages of documentation,
forum and shop in `pages/`. `score.py` judges by annotated pieces. `extractors.py` runs them: Hondius and those that
it is held against, which live in the judges' environment or are built in `candidates/`; none of them is shipped.
"""
