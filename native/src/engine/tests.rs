//! What only the archive and the analysis see of a fetch: Python sees the rest (`tests/native`).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use super::deadlines::Timeouts;
use super::settings::Caps;
use super::*;
use crate::fetched::{Exchange, Kind};

/// Says of a page what it was given: the body as its text, the type as its title.
struct Echo;

impl Analyse for Echo {
    fn analyse(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Option<Page> {
        Some(Page {
            title: content_type.to_owned(),
            description: url.to_string(),
            text: String::from_utf8_lossy(body).into_owned(),
            links_found: headers.len() as u32,
            ..Page::default()
        })
    }

    fn list(&self, body: &[u8], url: &Url) -> Sitemap {
        sitemap::read(body, url, &crate::url::Identity::default())
    }
}

fn settings() -> Settings {
    let long = Duration::from_secs(10);
    Settings {
        user_agent: "Hondius".into(),
        headers: Vec::new(),
        proxies: Vec::new(),
        sources: Vec::new(),
        overrides: Vec::new(),
        resolvers: Vec::new(),
        allow_private: vec!["127.0.0.0/8".into()],
        ca_file: None,
        verify_tls: true,
        timeouts: Timeouts {
            connect: long,
            read: long,
            total: long,
        },
        caps: Caps {
            page: 1 << 20,
            sitemap: 1 << 20,
            robots: 1 << 20,
            headers: 1 << 16,
        },
        body_budget: 1 << 24,
        idle_connections: 16,
        content_types: Vec::new(),
        address_gap: Duration::ZERO,
        attempts_file: None,
        spill_directory: None,
        threads: 1,
    }
}

/// Answers one connection with these bytes; joined, it says what was asked.
fn server(answer: Vec<u8>) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).unwrap();
        request.truncate(length);
        stream.write_all(&answer).unwrap();
        request
    });
    (address, serving)
}

fn engine(settings: Settings) -> (Engine, Receiver<()>) {
    let (sender, rings) = channel();
    let listen = move |wait_for_result: &WaitForResult<'_>| {
        while wait_for_result() {
            let _ = sender.send(());
        }
    };
    (
        Engine::new(settings, Arc::new(Echo), listen).unwrap(),
        rings,
    )
}

fn fetch(settings: Settings, address: SocketAddr, kind: Kind) -> Arc<Fetched> {
    let (engine, rings) = engine(settings);
    let href = format!("http://a.test:{}/x", address.port());
    let job = Job {
        within: None,
        ticket: 1,
        key: [1; 16],
        url: Url::parse(&href).unwrap(),
        href,
        address,
        kind,
        is_seed: false,
        extra: Vec::new(),
    };
    engine.submit(vec![job]).unwrap();
    rings.recv_timeout(Duration::from_secs(10)).unwrap();
    match engine.collect().pop() {
        Some(Outcome::Fetched(fetched)) => fetched,
        other => panic!("{other:?}"),
    }
}

fn exchange(fetched: &Fetched) -> &Exchange {
    fetched.exchange.as_ref().unwrap()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

#[test]
fn s3_the_head_is_kept_as_it_came_and_the_body_dechunked_but_coded() {
    let head = b"HTTP/1.1 200  Fine \nX-Odd :  value\r\nContent-Type: text/html\r\n\
                 Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let coded = gzip(b"<p>hello");
    let mut answer = head.to_vec();
    for piece in coded.chunks(5) {
        answer.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        answer.extend_from_slice(piece);
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    let whole = answer.len() as u64;
    let (address, serving) = server(answer);
    let fetched = fetch(settings(), address, Kind::Page);
    let exchange = exchange(&fetched);
    assert_eq!(&exchange.response_head[..], head);
    assert_eq!(exchange.wire_body.as_slice(), coded);
    assert_eq!((exchange.chunked, exchange.truncated), (true, false));
    assert_eq!(exchange.wire_bytes, whole);
    assert_eq!(&exchange.request_head[..], serving.join().unwrap());
    assert_eq!(fetched.page.as_ref().unwrap().text, "<p>hello");
}

#[test]
fn analysis_is_given_the_decoded_body_and_the_whole_type() {
    let answer =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nContent-Length: 2\r\n\r\nhi";
    let (address, _) = server(answer.to_vec());
    let page = fetch(settings(), address, Kind::Page).page.clone().unwrap();
    assert_eq!(page.title, "text/html; charset=x");
    assert_eq!(
        page.description,
        format!("http://a.test:{}/x", address.port())
    );
    assert_eq!((page.text.as_str(), page.links_found), ("hi", 2));
}

#[test]
fn only_good_pages_are_analysed_but_every_body_is_kept() {
    for (status, kind) in [("404 Not Found", Kind::Page), ("200 OK", Kind::Robots)] {
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nhi");
        let (address, _) = server(answer.into_bytes());
        let fetched = fetch(settings(), address, kind);
        assert!(fetched.page.is_none());
        assert_eq!(exchange(&fetched).wire_body.as_slice(), b"hi");
    }
}

#[test]
fn h5_a_body_that_is_not_wanted_leaves_nothing_behind() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 2\r\n\r\nhi";
    let (address, _) = server(answer.to_vec());
    let wanted = Settings {
        content_types: vec!["text/html".into()],
        ..settings()
    };
    let fetched = fetch(wanted, address, Kind::Page);
    assert!(exchange(&fetched).truncated && fetched.failure.is_none());
    assert!(exchange(&fetched).wire_body.as_slice().is_empty());
}

#[test]
fn n3_the_credentials_of_a_proxy_are_not_in_what_is_archived() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    let (proxy, serving) = server(answer.to_vec());
    let through = Settings {
        proxies: vec![("*".into(), format!("http://user:pass@{proxy}"))],
        ..settings()
    };
    let fetched = fetch(through, ([127, 0, 0, 9], 80).into(), Kind::Page);
    let sent = String::from_utf8(serving.join().unwrap()).unwrap();
    let kept = String::from_utf8(exchange(&fetched).request_head.to_vec()).unwrap();
    assert!(sent.contains("\r\nProxy-Authorization: Basic "));
    assert!(kept.starts_with("GET http://a.test") && !kept.contains("Authorization"));
}

#[test]
fn h2_a_spilled_body_is_read_and_analysed_like_any_other() {
    let body = "x".repeat(300_000);
    let coded = gzip(body.as_bytes());
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        coded.len()
    )
    .into_bytes();
    answer.extend_from_slice(&coded);
    let (address, _) = server(answer);
    let tight = Settings {
        body_budget: 0,
        ..settings()
    };
    let fetched = fetch(tight, address, Kind::Page);
    assert_eq!(exchange(&fetched).wire_body.as_slice(), coded);
    assert_eq!(fetched.page.as_ref().unwrap().text, body);
}

// ---- called off, and panics ----------------------------------------------------------------------------

/// The trap of the tests below: there is none in any other build.
pub fn panic_if_planted(name: &str) {
    assert!(!name.contains("planted-panic"), "planted in {name}");
}

struct Panicking;

impl Analyse for Panicking {
    fn analyse(&self, body: &[u8], _: &Url, _: &str, _: &[(String, String)]) -> Option<Page> {
        assert!(!body.ends_with(b"panic"), "planted in the analysis");
        Some(Page::default())
    }

    fn list(&self, _: &[u8], _: &Url) -> Sitemap {
        panic!("a planted bug")
    }
}

fn job(ticket: u64, address: SocketAddr, path: &str) -> Job {
    let href = format!("http://a.test:{}{path}", address.port());
    Job {
        ticket,
        key: [ticket as u8; 16],
        url: Url::parse(&href).unwrap(),
        href,
        address,
        kind: Kind::Page,
        is_seed: false,
        within: None,
        extra: Vec::new(),
    }
}

fn outcomes(engine: &Engine, rings: &Receiver<()>, count: usize) -> Vec<Outcome> {
    let mut found = Vec::new();
    while found.len() < count {
        rings.recv_timeout(Duration::from_secs(10)).unwrap();
        found.extend(engine.collect());
    }
    found
}

fn fetches(engine: &Engine, rings: &Receiver<()>, count: usize) -> Vec<Arc<Fetched>> {
    let fetched = |outcome| match outcome {
        Outcome::Fetched(fetched) => fetched,
        Outcome::Resolved(resolved) => panic!("{resolved:?}"),
    };
    outcomes(engine, rings, count)
        .into_iter()
        .map(fetched)
        .collect()
}

fn failure(fetched: &Fetched) -> (&'static str, &str) {
    fetched
        .failure
        .as_ref()
        .map_or(("", ""), |(cause, detail)| (*cause, detail.as_str()))
}

fn recorded(settings: &mut Settings) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    settings.attempts_file = Some(directory.path().join("attempts"));
    directory
}

fn attempts_in(directory: &tempfile::TempDir) -> Vec<attempts::Attempt> {
    attempts::read(&std::fs::read(directory.path().join("attempts")).unwrap()).0
}

/// Answers each connection for ever with nothing; says when a request came and when its connection was closed.
fn silent_server() -> (SocketAddr, Receiver<&'static str>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, events) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, sender) = (stream.unwrap(), sender.clone());
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).is_ok_and(|length| length > 0) {
                    let _ = sender.send("asked");
                }
                let _ = sender.send("closed");
            });
        }
    });
    (address, events)
}

#[test]
fn f4_a_cancel_is_confirmed_when_the_connection_is_closed_and_the_end_written() {
    let (address, events) = silent_server();
    let mut settings = settings();
    let directory = recorded(&mut settings);
    let (engine, rings) = engine(settings);
    engine
        .submit(vec![job(1, address, "/"), job(2, address, "/")])
        .unwrap();
    let patience = Duration::from_secs(10);
    assert_eq!(events.recv_timeout(patience), Ok("asked"));
    assert_eq!(events.recv_timeout(patience), Ok("asked"));
    engine.cancel(&[job(1, address, "/")], cause::LEASE_ENDED);
    let fetched = fetches(&engine, &rings, 1).remove(0);
    let ends: Vec<_> = attempts_in(&directory)
        .into_iter()
        .filter(|one| one.ended)
        .collect();
    assert_eq!((ends.len(), ends[0].key), (1, [1; 16]));
    assert_eq!(
        (fetched.ticket, failure(&fetched).0),
        (1, cause::LEASE_ENDED)
    );
    assert!(fetched.ended_at >= fetched.started_at);
    assert_eq!(events.recv_timeout(patience), Ok("closed"));
    assert!(events.recv_timeout(Duration::from_millis(50)).is_err());
    assert_eq!((engine.in_flight(), engine.bodies_in_memory()), (1, 0));
}

#[test]
fn f4_a_ticket_that_nothing_is_known_of_is_confirmed_at_once() {
    let (engine, rings) = engine(settings());
    engine.cancel(
        &[job(7, ([127, 0, 0, 1], 9).into(), "/x")],
        cause::CANCELLED,
    );
    let fetched = fetches(&engine, &rings, 1).remove(0);
    assert_eq!((fetched.ticket, failure(&fetched).0), (7, cause::CANCELLED));
    assert!(fetched.exchange.is_none());
    engine.cancel_look_ups(vec![(8, "a.test".into())]);
    match outcomes(&engine, &rings, 1).remove(0) {
        Outcome::Resolved(resolved) => {
            assert_eq!(
                (resolved.ticket, resolved.failure.unwrap().cause),
                (8, cause::LEASE_ENDED)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn q2_a_panic_in_a_request_is_a_failed_fetch_of_its_own_ticket() {
    let (address, events) = silent_server();
    let (good, _) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec());
    let mut settings = settings();
    let directory = recorded(&mut settings);
    let (engine, rings) = engine(settings);
    let jobs = vec![job(1, address, "/planted-panic"), job(2, good, "/")];
    engine.submit(jobs).unwrap();
    let mut fetched = fetches(&engine, &rings, 2);
    fetched.sort_by_key(|one| one.ticket);
    let told = (cause::ENGINE_PANIC, "panic: planted in /planted-panic");
    assert_eq!(failure(&fetched[0]), told);
    assert_eq!(
        (failure(&fetched[1]), exchange(&fetched[1]).status),
        (("", ""), 200)
    );
    assert_eq!(events.recv_timeout(Duration::from_secs(10)), Ok("closed"));
    let ended = attempts_in(&directory)
        .iter()
        .filter(|one| one.ended)
        .count();
    assert_eq!((ended, engine.in_flight()), (2, 0));
}

#[test]
fn q2_a_panic_in_the_analysis_is_a_failed_fetch_and_gives_its_memory_back() {
    for length in [0, 300_000] {
        let mut body = vec![b'x'; length];
        body.extend_from_slice(b"panic");
        let body = if length == 0 { body } else { gzip(&body) };
        let coding = if length == 0 {
            ""
        } else {
            "Content-Encoding: gzip\r\n"
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\n{coding}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let (address, _) = server([head.into_bytes(), body].concat());
        let (sender, rings) = channel();
        let listen = move |wait_for_result: &WaitForResult<'_>| {
            while wait_for_result() {
                let _ = sender.send(());
            }
        };
        let engine = Engine::new(settings(), Arc::new(Panicking), listen).unwrap();
        engine.submit(vec![job(1, address, "/")]).unwrap();
        let fetched = fetches(&engine, &rings, 1).remove(0);
        assert_eq!(
            failure(&fetched),
            (cause::ENGINE_PANIC, "panic: planted in the analysis")
        );
        assert_eq!((exchange(&fetched).status, engine.in_flight()), (200, 0));
        drop(fetched);
        assert_eq!(engine.bodies_in_memory(), 0);
    }
}

/// Reads ahead for each answer, and meets a bug then.
struct ReadingAhead(Arc<AtomicUsize>);

impl Analyse for ReadingAhead {
    fn analyse(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Option<Page> {
        Echo.analyse(body, url, content_type, headers)
    }

    fn list(&self, body: &[u8], url: &Url) -> Sitemap {
        Echo.list(body, url)
    }

    fn reads<'a>(&'a self, fetched: &Fetched) -> Option<Reads<'a>> {
        assert!(fetched.exchange.is_some());
        Some(Box::new(|| {
            self.0.fetch_add(1, Ordering::Relaxed);
            panic!("planted in the reading ahead");
        }))
    }
}

#[test]
fn what_is_asked_of_an_answer_is_read_before_anybody_sees_it_and_a_bug_there_is_no_failure() {
    let (address, _) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec());
    let (sender, rings) = channel();
    let listen = move |wait_for_result: &WaitForResult<'_>| {
        while wait_for_result() {
            let _ = sender.send(());
        }
    };
    let count = Arc::new(AtomicUsize::new(0));
    let reading = Arc::new(ReadingAhead(count.clone()));
    let engine = Engine::new(settings(), reading, listen).unwrap();
    engine.submit(vec![job(1, address, "/")]).unwrap();
    let fetched = fetches(&engine, &rings, 1).remove(0);
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert_eq!(
        (failure(&fetched), fetched.page.is_some()),
        (("", ""), true)
    );
}

#[test]
fn q2_a_panic_in_a_look_up_is_a_failed_look_up_for_all_who_wait_for_it() {
    let (engine, rings) = engine(settings());
    let name = "planted-panic.home.arpa".to_owned();
    engine
        .resolve(vec![(1, name.clone()), (2, name), (3, "a.test".into())])
        .unwrap();
    let mut causes: Vec<_> = outcomes(&engine, &rings, 3)
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Resolved(resolved) => (resolved.ticket, resolved.failure.unwrap().cause),
            Outcome::Fetched(fetched) => panic!("{fetched:?}"),
        })
        .collect();
    causes.sort_unstable();
    let panicked = cause::ENGINE_PANIC;
    assert_eq!(
        causes,
        [(1, panicked), (2, panicked), (3, cause::DNS_NXDOMAIN)]
    );
}

#[test]
fn n1_a_name_that_dns_cannot_have_is_not_asked_for() {
    let (engine, rings) = engine(settings());
    let long = "a".repeat(64);
    let names = [
        format!("{long}.home.arpa"),
        "a..home.arpa".into(),
        vec!["b"; 130].join("."),
    ];
    let requests: Vec<_> = (1..).zip(names).collect();
    engine.resolve(requests).unwrap();
    for outcome in outcomes(&engine, &rings, 3) {
        match outcome {
            Outcome::Resolved(resolved) => {
                assert_eq!(resolved.failure.unwrap().cause, cause::DNS_IMPOSSIBLE);
            }
            Outcome::Fetched(fetched) => panic!("{fetched:?}"),
        }
    }
}

// ---- turns ---------------------------------------------------------------------------------------------

/// Says when it begins to analyse, and ends when it is told to.
struct Waiting {
    begun: parking_lot::Mutex<std::sync::mpsc::Sender<()>>,
    go: parking_lot::Mutex<Receiver<()>>,
}

impl Analyse for Waiting {
    fn analyse(&self, _: &[u8], _: &Url, _: &str, _: &[(String, String)]) -> Option<Page> {
        self.begun.lock().send(()).unwrap();
        self.go.lock().recv().unwrap();
        Some(Page::default())
    }

    fn list(&self, _: &[u8], _: &Url) -> Sitemap {
        Sitemap::default()
    }
}

#[test]
fn q2_a_long_body_waits_until_a_thread_is_free_and_is_dropped_unread_when_it_is_called_off() {
    const LENGTH: usize = 300_000;
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {LENGTH}\r\n\r\n");
    let answer = [head.into_bytes(), vec![b'x'; LENGTH]].concat();
    let ((begun, beginnings), (go, told)) = (channel(), channel());
    let (sender, rings) = channel();
    let listen = move |wait_for_result: &WaitForResult<'_>| {
        while wait_for_result() {
            let _ = sender.send(());
        }
    };
    let waiting = Waiting {
        begun: parking_lot::Mutex::new(begun),
        go: parking_lot::Mutex::new(told),
    };
    let engine = Engine::new(settings(), Arc::new(waiting), listen).unwrap();
    let (first, _) = server(answer.clone());
    engine.submit(vec![job(1, first, "/")]).unwrap();
    beginnings.recv_timeout(Duration::from_secs(10)).unwrap();
    let (second, serving) = server(answer);
    engine.submit(vec![job(2, second, "/")]).unwrap();
    serving.join().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while engine.bodies_in_memory() < 2 * LENGTH && Instant::now() < deadline {
        std::thread::yield_now();
    }
    engine.cancel(&[job(2, second, "/")], cause::LEASE_ENDED);
    let dropped = fetches(&engine, &rings, 1).remove(0);
    assert_eq!(
        (dropped.ticket, failure(&dropped).0),
        (2, cause::LEASE_ENDED)
    );
    assert!(dropped.exchange.is_none());
    go.send(()).unwrap();
    let read = fetches(&engine, &rings, 1).remove(0);
    assert_eq!((read.ticket, failure(&read).0), (1, ""));
    assert!(beginnings.try_recv().is_err());
    assert_eq!(engine.in_flight(), 0);
}
