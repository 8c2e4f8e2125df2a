"""The look of our own pages, beside what all HTML pages of Hondius share (`use/html_page.py`)."""

OWN = """
header { display: flex; align-items: baseline; gap: .75rem; flex-wrap: wrap; margin-bottom: 1.5rem; }
header .mark, .banner .mark { font-weight: 650; letter-spacing: .01em; }
header a { text-decoration: none; }
form { display: flex; gap: .5rem; margin: 1.25rem 0 1rem; max-width: 46rem; }
input { flex: 1; min-width: 0; font: inherit; padding: .5rem .75rem; border: 1px solid var(--line);
  border-radius: .4rem; background: var(--paper); color: var(--ink); }
button { font: inherit; font-weight: 550; padding: .5rem 1.1rem; border: 0; border-radius: .4rem; cursor: pointer;
  background: var(--accent); color: var(--paper); }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.pages td:first-child { width: 100%; }
.pages a { text-decoration: none; } .pages a:hover { text-decoration: underline; }
.pages .url { display: block; color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }
th { white-space: nowrap; }
td.when, td.status { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
.good { color: var(--fine); } .bad { color: var(--danger); }
.months { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: 1.5rem 2rem;
  margin: 1rem 0 2rem; }
.month h3 { margin: 0 0 .4rem; } .month table { table-layout: fixed; font-size: .8125rem; }
.month td, .month th { border: 0; padding: .15rem 0; text-align: center; font-weight: 400; color: var(--soft);
  font-variant-numeric: tabular-nums; }
.month td a { display: inline-block; min-width: 1.7rem; padding: .1rem 0; border-radius: .35rem; font-weight: 600;
  text-decoration: none; background: var(--accent); color: var(--paper); }
.next { margin: 1.25rem 0; }
"""

FRAME = """
html, body { height: 100%; margin: 0; max-width: none; padding: 0; }
body { display: flex; flex-direction: column; }
.banner { flex: none; display: flex; align-items: center; gap: 1rem; padding: .35rem .9rem; font-size: .8125rem;
  line-height: 1.4; background: var(--raised); border-bottom: 1px solid var(--line); }
.banner a { text-decoration: none; white-space: nowrap; } .banner a:hover { text-decoration: underline; }
.banner .address { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  color: var(--soft); }
.banner .when { white-space: nowrap; font-variant-numeric: tabular-nums; }
iframe { flex: 1; border: 0; width: 100%; background: #fff; }
"""
