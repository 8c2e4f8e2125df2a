"""The site that crawlers are measured on: 10,000 pages on 500 hosts, served by nginx from files.

`plan` says which pages there are and what each links to, `prose` and `markup` write them, `generate` puts them on
disk once, beside their gzipped forms, and `nginx` serves them: the server then costs next to nothing, and what is
measured is the crawler. The same plan gives the same bytes on every machine; the files live in `benchmarks/.cache`.

    python -m benchmarks.site.generate
    python -m benchmarks.site.nginx
"""
