//! Connects the engine with the URL store: looks up the links of a page on the engine's threads, so that the event loop
//! finds them in memory when it admits them.

use std::sync::Arc;

use url::Url;

use crate::engine::{Analyse, Reads};
use crate::fetched::Fetched;
use crate::html::Reader;
use crate::page::Page;
use crate::sitemap::Sitemap;
use crate::url::{Key, host_of_origin, split_origin};
use crate::url_store::{Cold, SharedStore};

/// Analyses pages, and looks up their links in the store.
pub struct ReadingAhead {
    reader: Arc<Reader>,
    store: SharedStore,
}

impl ReadingAhead {
    pub fn new(reader: Arc<Reader>, store: SharedStore) -> Self {
        ReadingAhead { reader, store }
    }

    /// The disk reads that are needed before the links of a page at this URL are admitted.
    pub fn of_links<'a>(
        &self,
        urls: impl Iterator<Item = (&'a str, Key)>,
        named_by: &str,
    ) -> Option<Cold> {
        self.store
            .try_run(|store| store.cold(urls, Some(host_of(named_by)), None))
    }

    /// Errors are ignored here: `admit` will meet and report them.
    pub fn read(&self, cold: Cold) {
        let _ = self.store.run(|store| store.read_ahead(cold));
    }

    fn cold(&self, fetched: &Fetched) -> Option<Cold> {
        let host = Some(host_of(&fetched.href));
        let hash = fetched.content_hash.as_ref();
        let content: Option<&Key> = hash.and_then(|hash| hash.first_chunk());
        self.store.try_run(|store| {
            if let Some(page) = &fetched.page {
                let links = page.links.iter().map(|link| (link.href.as_str(), link.key));
                return store.cold(links, host, content);
            }
            if let Some(sitemap) = &fetched.sitemap {
                let entries = sitemap.entries.iter();
                let entries = entries.map(|entry| (entry.href.as_str(), entry.key));
                return store.cold(entries, host, None);
            }
            let target = fetched.is_redirect().then(|| fetched.location());
            let target = target.flatten()?.ok()?;
            let key = self.reader.identity().key_of(&target);
            store.cold(std::iter::once((target.as_str(), key)), host, None)
        })
    }
}

impl Analyse for ReadingAhead {
    fn analyse(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Option<Page> {
        self.reader.analyse(body, url, content_type, headers)
    }

    fn list(&self, body: &[u8], url: &Url) -> Sitemap {
        self.reader.list(body, url)
    }

    fn reads<'a>(&'a self, fetched: &Fetched) -> Option<Reads<'a>> {
        let cold = self.cold(fetched)?;
        Some(Box::new(|| self.read(cold)))
    }
}

fn host_of(href: &str) -> &str {
    split_origin(href).map_or("", |(origin, _)| host_of_origin(origin))
}
