"""A small crawl with links, in every world, and statements that every way to SQL must refuse."""

from tests.journeys.scripted_site import Answer, Script

HIDDEN = '<meta name="robots" content="noindex"><title>Secret</title><p>nothing to see</p><a href="/red">red</a>'
SITE: Script = {
    "/": Answer.page("/red", "/blue", "/hidden", "/gone", "http://elsewhere.test/x"),
    "/red": Answer('<title>Red</title><p>Shoes that are red.</p><a href="/blue" rel="nofollow">see \x1b[31mblue</a>'),
    "/blue": Answer("<title>=1+1</title><p>Shoes that are blue.</p>"),
    "/hidden": Answer(HIDDEN),
}
HOME, RED, BLUE, HIDDEN_URL = (f"http://a.test{path}" for path in ("/", "/red", "/blue", "/hidden"))

FORBIDDEN = {
    "copy to a file": "COPY pages TO '/tmp/hondius-stolen.csv'",
    "copy a query": "COPY (SELECT 1) TO '/tmp/hondius-stolen.csv'",
    "copy from a file": "COPY pages FROM '/etc/passwd'",
    "attach": "ATTACH '/tmp/hondius-other.db'",
    "detach": "DETACH memory",
    "export": "EXPORT DATABASE '/tmp/hondius-stolen'",
    "import": "IMPORT DATABASE '/tmp'",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "set": "SET enable_external_access = true",
    "reset": "RESET lock_configuration",
    "pragma": "PRAGMA database_list",
    "pragma that is a query": "PRAGMA show_tables",
    "pragma that runs a query": "PRAGMA json_execute_serialized_sql('{}')",
    "call": "CALL pragma_version()",
    "create": "CREATE TABLE stolen AS SELECT * FROM pages",
    "create a macro": "CREATE MACRO f() AS 1",
    "create a secret": "CREATE SECRET s (TYPE http)",
    "insert": "INSERT INTO pages SELECT * FROM pages",
    "update": "UPDATE pages SET title = 'x'",
    "delete": "DELETE FROM pages",
    "drop": "DROP TABLE pages",
    "use": "USE memory",
    "checkpoint": "CHECKPOINT",
    "vacuum": "VACUUM",
    "transaction": "BEGIN",
    "prepare": "PREPARE p AS SELECT 1",
    "execute": "EXECUTE p",
    "explain of an insert": "EXPLAIN ANALYZE INSERT INTO pages SELECT * FROM pages",
    "explain of a copy": "EXPLAIN ANALYZE COPY pages TO '/tmp/hondius-stolen.csv'",
    "explain of a read": "EXPLAIN SELECT * FROM read_text('/etc/passwd')",
    "update extensions": "UPDATE EXTENSIONS",
    "an insert in a WITH clause": "WITH a AS (INSERT INTO pages SELECT * FROM pages RETURNING url) SELECT * FROM a",
    "an update in a WITH clause": "WITH a AS (UPDATE pages SET title = 'x' RETURNING url) SELECT * FROM a",
    "a delete in a WITH clause": "WITH a AS (DELETE FROM pages RETURNING url) SELECT * FROM a",
    "a copy in a WITH clause": "WITH a AS (COPY pages TO '/tmp/hondius-stolen.csv') SELECT * FROM a",
    "a copy in a WITH clause of a subquery": (
        "SELECT (WITH a AS (COPY pages TO '/tmp/hondius-stolen.csv') SELECT count(*) FROM a)"
    ),
    "a copy in a WITH clause that is explained": (
        "EXPLAIN ANALYZE WITH a AS (COPY pages TO '/tmp/hondius-stolen.csv') SELECT * FROM a"
    ),
    "two statements": "SELECT 1; SELECT 2",
    "a statement after a comment": "SELECT 1; /* */ DROP TABLE pages",
    "nothing": "",
    "a comment": "-- nothing",
    "no SQL": "give me all pages",
    "read_csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read_csv_auto": "SELECT * FROM read_csv_auto('/etc/passwd')",
    "read_text": "SELECT * FROM read_text('/etc/passwd')",
    "read_blob": "SELECT * FROM read_blob('/etc/passwd')",
    "read_json": "SELECT * FROM read_json('/etc/passwd')",
    "read_parquet": "SELECT * FROM read_parquet('/etc/passwd')",
    "parquet_metadata": "SELECT * FROM parquet_metadata('/etc/passwd')",
    "glob": "SELECT * FROM glob('/etc/*')",
    "sniff_csv": "SELECT * FROM sniff_csv('/etc/passwd')",
    "a file as a table": "SELECT * FROM '/etc/passwd'",
    "a URL as a table": "SELECT * FROM 'https://example.com/x.parquet'",
    "a description of a file": "DESCRIBE '/etc/passwd'",
    "a summary of a file": "SUMMARIZE '/etc/passwd'",
    "a file in a subquery": "SELECT (SELECT count(*) FROM '/etc/passwd')",
    "a file in a union": "SELECT url FROM pages UNION ALL SELECT content FROM read_text('/etc/passwd')",
    "a file in a WITH clause": "WITH x AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM x",
    "a file in a lateral join": "SELECT * FROM pages, LATERAL (SELECT * FROM read_text('/etc/passwd'))",
    "a file that a WITH clause names": (
        """SELECT * FROM '/etc/x.csv' WHERE EXISTS (WITH "/etc/x.csv" AS (SELECT 1) SELECT 1)"""
    ),
    "a view that a WITH clause names": "WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings",
    "a query as text": "SELECT * FROM query('SELECT * FROM duckdb_settings()')",
    "a table as text": "SELECT * FROM query_table('pages')",
    "a serialised query": "SELECT * FROM json_execute_serialized_sql('{}')",
    "settings": "SELECT * FROM duckdb_settings()",
    "settings as a view": "SELECT * FROM duckdb_settings",
    "extensions": "SELECT * FROM duckdb_extensions()",
    "secrets": "SELECT * FROM duckdb_secrets()",
    "the schema": "SELECT * FROM information_schema.tables",
    "the schema of SQLite": "SELECT * FROM sqlite_master",
    "another catalog": "SELECT * FROM system.main.pages",
    "show databases": "SHOW DATABASES",
    "show all tables": "SHOW ALL TABLES",
    "getenv": "SELECT getenv('HOME')",
    "current_setting": "SELECT current_setting('temp_directory')",
    "write_log": "SELECT write_log('x')",
    "sleep": "SELECT sleep_ms(100000)",
    "a variable of Python": "SELECT * FROM crawl",
    "a module of Python": "SELECT * FROM sys",
    "unknown function of a table": "SELECT * FROM test_all_types()",
    "too long": "SELECT " + "1," * 60_000 + "1",
    "too deep": "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
    "too deep sources": "SELECT * FROM " + "(" * 20_000 + "pages" + ")" * 20_000,
    "brackets that are not closed": "SELECT " + "(" * 80_000,
    "too many joins": "SELECT 1 FROM pages" + " JOIN pages USING (url)" * 2_000,
    "too many tables": "SELECT 1 FROM pages" + ", pages" * 10_000,
}
"""What was tried, and the statement."""

BOMBS = {
    "recursion": "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT max(a) FROM t",
    "range": "SELECT sum(range) FROM range(1000000000000)",
    "generate_series": "SELECT count(DISTINCT generate_series) FROM generate_series(1, 1000000000000)",
    "cross joins": (
        "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range + b.range = c.range"
    ),
    "a long text": "SELECT repeat(repeat('x', 1000000), 4000)",
    "a long list": "SELECT list_sum(range(4000000000))",
    "many long texts": "SELECT string_agg(repeat('x', 1000000)) FROM range(1000000)",
    "long rows": "SELECT repeat('x', 100000000) FROM range(1000000)",
}
"""Queries that never end, or need more memory than there is."""
