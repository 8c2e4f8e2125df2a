//! url_store
