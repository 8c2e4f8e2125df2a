use super::*;

/// The directory as a kill would leave it. The store's own threads may remove a file while it is
/// copied; no kill sees that half, so the copy begins anew.
fn copy(from: &Path, to: &Path) {
    for _ in 0..100 {
        match try_copy(from, to) {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                std::fs::remove_dir_all(to).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the store never holds still");
}

fn try_copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            try_copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn many(range: std::ops::Range<u32>) -> Vec<String> {
    range
        .map(|number| format!("http://h{}.test/{number}", number % 10))
        .collect()
}

fn texts(hrefs: &[String]) -> Vec<&str> {
    hrefs.iter().map(String::as_str).collect()
}

#[test]
fn a_closed_store_opens_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let hrefs = many(0..1000);
    let before = {
        let store = open(directory.path());
        add(&store, &texts(&hrefs), attributes(1, 0.5));
        apply(&store, &[], &texts(&hrefs[..100]));
        (store.counts(), store.origins(None))
    };
    let store = open(directory.path());
    let after = (store.counts(), store.origins(None));
    assert_eq!(
        (after.0.seen, after.0.queued, after.0.finished),
        (before.0.seen, before.0.queued, before.0.finished)
    );
    assert_eq!(after.1, before.1);
    assert_eq!(store.applied(), 2);
    assert_eq!(
        take(&store, 3),
        [
            "http://h0.test/100",
            "http://h0.test/110",
            "http://h0.test/120"
        ]
    );
}

#[test]
fn after_a_kill_all_up_to_some_frame_is_there_and_what_was_handed_out_is_queued_again_f5() {
    let (directory, copied) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(directory.path());
    let hrefs = many(0..2000);
    add(&store, &texts(&hrefs), attributes(1, 0.5));
    assert_eq!(take(&store, 50).len(), 50);
    apply(&store, &[], &texts(&hrefs[..500]));
    store.flush().unwrap();
    let last = admit(&store, &["http://lost.test/"], attributes(1, 0.5), None);
    apply(&store, &[&last.data], &texts(&hrefs[500..600]));
    copy(directory.path(), copied.path());
    drop(store);

    let store = open(copied.path());
    assert_eq!(store.applied(), 2);
    for (index, href) in hrefs.iter().enumerate() {
        let expected = if index < 500 {
            State::Finished
        } else {
            State::Queued
        };
        assert_eq!(state(&store, href), Some(expected), "{href}");
    }
    assert_eq!(
        state(&store, "http://lost.test/"),
        None,
        "its frame is to be applied again"
    );
    assert_eq!(
        admit(&store, &texts(&hrefs), attributes(1, 0.5), None).known,
        2000
    );
    let served: usize = (0..10)
        .map(|origin| store.take(origin, 1000, None).unwrap().len())
        .sum();
    assert_eq!(served, 1500);
}

#[test]
fn after_a_kill_the_bloom_filter_is_built_anew_while_the_store_works() {
    let (directory, copied) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(directory.path());
    let (old, new) = (many(0..3000), many(3000..6000));
    add(&store, &texts(&old), attributes(1, 0.5));
    store.flush().unwrap();
    store.filters.settle();
    copy(directory.path(), copied.path());
    drop(store);

    let store = open(copied.path());
    add(&store, &texts(&new), attributes(1, 0.5));
    store.filters.settle();
    assert!(store.counts().bloom_bits > 0);
    for href in old.iter().chain(&new) {
        assert!(store.filters.may_contain(&key(href)), "{href}");
    }
}

#[test]
fn a_filter_of_many_keys_is_saved_and_trusted_in_the_state_it_was_saved_in_u4() {
    let (directory, later) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = directory.path().join("bloom");
    let hrefs = many(0..60_000);
    {
        let store = open(directory.path());
        add(&store, &["http://few.test/"], attributes(1, 0.5));
    }
    assert!(!file.exists(), "of few keys it is built sooner than read");
    {
        let store = open(directory.path());
        for frame in hrefs.chunks(1000) {
            add(&store, &texts(frame), attributes(1, 0.5));
        }
        store.filters.settle();
    }
    let saved = std::fs::metadata(&file).unwrap().modified().unwrap();
    {
        let store = open(directory.path());
        assert!(store.counts().bloom_bits > 0, "nobody had to scan");
        let is_known = |href: &String| store.filters.may_contain(&key(href));
        assert!(hrefs.iter().all(is_known));
        let unknown = many(100_000..110_000);
        assert!(unknown.iter().filter(|href| is_known(href)).count() < 500);
        copy(directory.path(), later.path());
    }
    let unchanged = std::fs::metadata(&file).unwrap().modified().unwrap();
    assert_eq!(saved, unchanged, "nothing new, nothing written");

    let store = open(later.path());
    add(&store, &["http://later.test/"], attributes(1, 0.5));
    store.flush().unwrap();
    copy(later.path(), directory.path());
    drop(store);
    let store = open(directory.path());
    store.filters.settle();
    assert!(
        store.filters.may_contain(&key("http://later.test/")),
        "a filter of an earlier frame is not trusted"
    );
}

#[test]
fn a_filter_that_is_built_anew_knows_the_bodies_too_x1() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let hash = [7; 16];
    store
        .apply(1, &[], &[(key("http://a.test/"), Some(hash))])
        .unwrap();
    drop(store);
    let store = open(directory.path());
    store.filters.settle();
    assert!(store.counts().bloom_bits > 0);
    let first = store.same_content(&hash, &key("http://b.test/")).unwrap();
    assert_eq!(first, Some(key("http://a.test/")));
}

#[test]
fn a_replay_of_the_whole_log_makes_the_same_store() {
    let (directory, rebuilt) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(directory.path());
    let hrefs = many(0..600);
    let mut log: Vec<(Vec<u8>, Vec<&str>)> = Vec::new();
    for frame in hrefs.chunks(60) {
        let admitted = admit(&store, &texts(frame), attributes(1, 0.5), None);
        let finished = texts(&frame[..20]);
        apply(&store, &[&admitted.data], &finished);
        log.push((admitted.data, finished));
    }
    let again = open(rebuilt.path());
    for (blob, finished) in &log {
        apply(&again, &[blob], finished);
    }
    assert_eq!(again.origins(None), store.origins(None));
    for origin in 0..10 {
        assert_eq!(
            again.take(origin, 1000, None).unwrap(),
            store.take(origin, 1000, None).unwrap()
        );
    }
}

#[test]
fn a_store_is_open_once() {
    let directory = tempfile::tempdir().unwrap();
    let _store = open(directory.path());
    let error = UrlStore::open(directory.path(), SMALL).err().unwrap();
    assert!(
        matches!(&error, Error::Invalid(message) if message.contains("another process")),
        "{error}"
    );
}

#[test]
fn a_store_of_an_older_layout_is_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let older = directory.path().join(OLDER);
    std::fs::create_dir(&older).unwrap();
    std::fs::write(older.join("0.jnl"), b"rows").unwrap();
    let store = open(directory.path());
    assert_eq!(store.applied(), 0);
    assert!(!older.exists());
}

#[test]
fn a_store_of_another_log_is_noticed_and_a_new_one_is_of_any() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.belong_to(7).unwrap();
    store.belong_to(8).unwrap();
    add(&store, &["http://a.test/"], attributes(1, 0.5));
    drop(store);
    let store = open(directory.path());
    store.belong_to(8).unwrap();
    assert!(matches!(store.belong_to(7), Err(Error::Corrupt(_))));
}

#[test]
fn a_store_that_cannot_be_saved_says_so_and_up_to_where_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    add(&store, &["http://a.test/"], attributes(1, 0.5));
    store.flush().unwrap();
    add(&store, &["http://b.test/"], attributes(1, 0.5));
    // Where the next run would be written stands a directory.
    std::fs::create_dir(directory.path().join(RUNS).join("00000001.run")).unwrap();
    assert!(matches!(store.close(), Err(Error::Io { .. })));
    assert_eq!((store.saved().unwrap(), store.applied()), (1, 2));
}
