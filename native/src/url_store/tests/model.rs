//! Random lives of a store against a model that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    /// URL numbers, class step, depth.
    Admit(Vec<u8>, u8, u8),
    /// What was admitted reaches the log, with the oldest leases ended.
    Commit(u8),
    Take(u8, u8),
    GiveBack,
    /// A URL ends that need not have been handed out.
    End(u8),
    /// URL numbers and their new class step; they count with the next frame.
    Reprioritise(Vec<u8>, u8),
    /// What is known of them is read before they are admitted.
    ReadAhead(Vec<u8>),
    /// All rows go to disk.
    Flush,
    Reopen,
}

const LIMIT: u32 = 2;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (proptest::collection::vec(0u8..120, 1..20), 0u8..4, 0u8..5).prop_map(|(urls, class, depth)| Step::Admit(urls, class, depth)),
        4 => (0u8..4).prop_map(Step::Commit),
        3 => (0u8..3, 1u8..9).prop_map(|(origin, count)| Step::Take(origin, count)),
        1 => Just(Step::GiveBack),
        1 => (0u8..120).prop_map(Step::End),
        2 => (proptest::collection::vec(0u8..120, 1..20), 0u8..4).prop_map(|(urls, class)| Step::Reprioritise(urls, class)),
        1 => proptest::collection::vec(0u8..120, 1..20).prop_map(Step::ReadAhead),
        1 => Just(Step::Flush),
        1 => Just(Step::Reopen),
    ]
}

fn href(number: u8) -> String {
    format!("http://h{}.test/{number}", number % 3)
}

#[derive(Default)]
struct Model {
    /// Admitted, or found closer, and in no frame yet: the depth.
    pending: BTreeMap<u8, u32>,
    blobs: Vec<Vec<u8>>,
    /// In a frame: class and a number that rises with the order.
    waiting: BTreeMap<u8, (u8, u64)>,
    /// The lowest depth of what is in a frame.
    depths: BTreeMap<u8, u32>,
    /// What ended and was found closer since.
    rereads: BTreeMap<u8, u32>,
    finished: BTreeSet<u8>,
    leased: Vec<u8>,
    clock: u64,
}

impl Model {
    fn depth_of(&self, number: u8) -> Option<u32> {
        let pending = self.pending.get(&number);
        pending.or_else(|| self.depths.get(&number)).copied()
    }
}

struct World {
    model: Model,
    store: Option<UrlStore>,
    directory: Option<tempfile::TempDir>,
    /// Every frame, for a rebuild at the end.
    log: Vec<Logged>,
    /// Class and attributes of what each pending blob says, in order.
    admitted: Vec<(u8, Attributes)>,
    /// URLs that get another priority with the next frame, in order.
    ordered: Vec<(u8, f64)>,
}

/// What a frame says.
struct Logged {
    blobs: Vec<Vec<u8>>,
    ended: Vec<u8>,
    order: Vec<(u8, f64)>,
}

impl World {
    fn store(&self) -> &UrlStore {
        self.store.as_ref().unwrap()
    }

    fn admit(&mut self, numbers: &[u8], class: u8, depth: u32) {
        let attributes = attributes(depth, f64::from(class) / 4.0);
        let hrefs: Vec<String> = numbers.iter().map(|&number| href(number)).collect();
        let admitted = admit(
            self.store(),
            &hrefs.iter().map(String::as_str).collect::<Vec<_>>(),
            attributes,
            Some(LIMIT),
        );
        let (mut new, mut closer) = (Vec::new(), Vec::new());
        for &number in numbers {
            match self.model.depth_of(number) {
                None => new.push(number),
                Some(held) if depth < held => closer.push(number),
                Some(_) => continue,
            }
            self.model.pending.insert(number, depth);
        }
        assert_eq!(admitted.count, new.len() as u64);
        assert_eq!(admitted.closer_count, closer.len() as u64);
        let attributes = Attributes {
            parked: depth > LIMIT,
            ..attributes
        };
        let found = new.into_iter().chain(closer);
        self.admitted
            .extend(found.map(|number| (number, attributes)));
        self.model.blobs.push(admitted.data);
        self.model.blobs.push(admitted.closer);
    }

    fn commit(&mut self, ended: Vec<u8>) {
        let blobs = std::mem::take(&mut self.model.blobs);
        self.apply_to_model(&ended);
        self.frame(blobs, ended);
    }

    fn frame(&mut self, blobs: Vec<Vec<u8>>, ended: Vec<u8>) {
        let order = std::mem::take(&mut self.ordered);
        self.log.push(Logged {
            blobs,
            ended,
            order,
        });
        apply_frame(self.store.as_ref().unwrap(), self.log.last().unwrap());
    }

    fn reprioritise(&mut self, numbers: &[u8], class: u8) {
        let priority = f64::from(class) / 4.0;
        let order: Vec<_> = numbers
            .iter()
            .map(|&number| (key(&href(number)), priority))
            .collect();
        let (data, count) = self.store().reprioritise(&order).unwrap();
        let kept = reprioritise::decode(&data).unwrap();
        assert_eq!(kept.len() as u64, count);
        assert!(kept.iter().all(|row| order.contains(row)));
        for &number in numbers {
            let class = attributes(0, priority).class();
            let held = self.model.waiting.get(&number);
            let is_left_out = match held {
                _ if self.model.finished.contains(&number) => true,
                Some(&(held, _)) => held >= PARKED || held == class,
                None => true,
            };
            let is_pending = self.model.pending.contains_key(&number);
            let is_kept = kept.iter().any(|(kept, _)| *kept == key(&href(number)));
            assert!(is_pending || is_kept != is_left_out, "{number}");
        }
        self.ordered
            .extend(numbers.iter().map(|&number| (number, priority)));
    }

    fn apply_to_model(&mut self, ended: &[u8]) {
        let model = &mut self.model;
        model.pending.clear();
        let mut fresh = HashSet::new();
        let mut lowered = HashSet::new();
        for (number, attributes) in self.admitted.drain(..) {
            let class = attributes.class();
            let held = model.depths.get(&number);
            if ended.contains(&number) || held.is_some_and(|&held| attributes.depth >= held) {
                continue;
            }
            model.depths.insert(number, attributes.depth);
            if model.finished.contains(&number) {
                model.rereads.insert(number, attributes.depth);
            }
            if model.finished.contains(&number) || model.leased.contains(&number) {
                lowered.insert(number);
                continue;
            }
            let place = match model.waiting.get(&number) {
                Some(&(_, place)) if fresh.contains(&number) => place,
                _ => {
                    model.clock += 1;
                    model.clock
                }
            };
            fresh.insert(number);
            model.waiting.insert(number, (class, place));
        }
        let mut last: BTreeMap<u8, (usize, f64)> = BTreeMap::new();
        for (place, &(number, priority)) in self.ordered.iter().enumerate() {
            last.insert(number, (place, priority));
        }
        let mut last: Vec<_> = last.into_iter().collect();
        last.sort_by_key(|&(_, (place, _))| place);
        for (number, (_, priority)) in last {
            let class = attributes(0, priority).class();
            let is_stuck = ended.contains(&number) || lowered.contains(&number);
            let Some((held, place)) = model.waiting.get_mut(&number).filter(|_| !is_stuck) else {
                continue;
            };
            if *held >= PARKED || *held == class {
                continue;
            }
            if !fresh.contains(&number) {
                model.clock += 1;
                *place = model.clock;
            }
            *held = class;
        }
        for &number in ended {
            model.waiting.remove(&number);
            model.depths.entry(number).or_insert(0);
            model.finished.insert(number);
            model.leased.retain(|&leased| leased != number);
        }
    }

    fn take(&mut self, origin: u8, count: usize) {
        let Some(id) = self
            .store()
            .queues_number(&format!("http://h{origin}.test"))
        else {
            return;
        };
        let taken = self.store().take(id, count, Some(LIMIT)).unwrap();
        for url in &taken {
            let number: u8 = url.href.rsplit('/').next().unwrap().parse().unwrap();
            assert!(
                !self.model.leased.contains(&number),
                "{number} was handed out twice"
            );
            let (class, place) = self.model.waiting[&number];
            assert!(class < PARKED, "{number} is parked");
            assert_eq!(class, url.attributes.class());
            let closer = self.store().closest(&url.key, url.attributes.depth);
            let depth = closer.unwrap_or(url.attributes).depth;
            assert_eq!(Some(depth), self.model.depth_of(number), "{number}");
            let earlier =
                self.model
                    .waiting
                    .iter()
                    .find(|&(other, &(other_class, other_place))| {
                        other % 3 == origin
                            && other_class == class
                            && other_place < place
                            && !self.model.leased.contains(other)
                    });
            assert_eq!(earlier, None, "before {number}");
            self.model.leased.push(number);
        }
        let left = self.model.waiting.iter().filter(|&(number, &(class, _))| {
            number % 3 == origin && class < PARKED && !self.model.leased.contains(number)
        });
        assert!(taken.len() == count || left.count() == 0);
    }

    fn reopen(&mut self) {
        let Some(directory) = &self.directory else {
            return;
        };
        drop(self.store.take());
        self.store = Some(open(directory.path()));
        self.model.pending.clear();
        self.model.blobs.clear();
        self.admitted.clear();
        self.ordered.clear();
        self.model.leased.clear();
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Admit(urls, class, depth) => self.admit(urls, *class, (*depth).into()),
            Step::Commit(count) => {
                let ended = self
                    .model
                    .leased
                    .iter()
                    .take(usize::from(*count))
                    .copied()
                    .collect();
                self.commit(ended);
            }
            Step::Take(origin, count) => self.take(*origin, usize::from(*count)),
            Step::GiveBack => {
                let keys: Vec<Key> = self
                    .model
                    .leased
                    .drain(..)
                    .map(|number| key(&href(number)))
                    .collect();
                self.store().give_back(keys.iter());
            }
            Step::End(number) => self.commit(vec![*number]),
            Step::Reprioritise(urls, class) => self.reprioritise(urls, *class),
            Step::ReadAhead(urls) => {
                let hrefs: Vec<String> = urls.iter().map(|&number| href(number)).collect();
                read_ahead(
                    self.store(),
                    &hrefs.iter().map(String::as_str).collect::<Vec<_>>(),
                );
                for origin in 0..3 {
                    self.store().read_queue_ahead(origin, Some(LIMIT)).unwrap();
                }
            }
            Step::Flush => self.store().flush().unwrap(),
            Step::Reopen => self.reopen(),
        }
    }

    fn compare(&self, store: &UrlStore) {
        for number in 0..120 {
            let expected = match self.model.waiting.get(&number) {
                _ if self.model.finished.contains(&number) => Some(State::Finished),
                Some(&(class, _)) if class < PARKED => Some(State::Queued),
                Some(_) => Some(State::Parked),
                None => None,
            };
            if !self.model.pending.contains_key(&number) {
                assert_eq!(state(store, &href(number)), expected, "{number}");
            }
        }
        let rereads: BTreeSet<(u32, Key)> = store.rereads(9, 999).unwrap().into_iter().collect();
        let expected = self.model.rereads.iter();
        let expected: BTreeSet<(u32, Key)> = expected
            .map(|(&number, &depth)| (depth, key(&href(number))))
            .collect();
        assert_eq!(rereads, expected);
        let counts = store.counts();
        let queued = self
            .model
            .waiting
            .values()
            .filter(|(class, _)| *class < PARKED)
            .count() as u64;
        let waiting = self.model.waiting.len() as u64;
        let finished = self.model.finished.len() as u64;
        assert_eq!(
            (counts.queued, counts.parked, counts.finished),
            (queued, waiting - queued, finished)
        );
        assert_eq!(counts.seen, waiting + finished);
    }

    /// Each URL waits in its class.
    fn compare_classes(&self) {
        for (&number, &(class, _)) in &self.model.waiting {
            let seen = self.store().seen(&key(&href(number))).unwrap();
            assert!(
                matches!(seen, Some(Seen::Waiting(slot, ..)) if slot.chunk.class == class),
                "{number}"
            );
        }
    }

    /// A chunk goes with its last URL.
    fn count_chunks(&self) {
        let mut chunks = 0;
        for origin in 0..self.store().counts().origins as u32 {
            for class in 0..=u8::MAX {
                let from = rows::ChunkId {
                    origin,
                    class,
                    number: 0,
                };
                let mut count = |_: rows::ChunkId, _: &[u8]| {
                    chunks += 1;
                    Ok(ControlFlow::Continue(()))
                };
                self.store().tree.visit_chunks(from, &mut count).unwrap();
            }
        }
        assert!(chunks <= self.model.waiting.len());
    }

    /// The log alone makes the same store.
    fn rebuild(&self) {
        let rebuilt = UrlStore::in_memory(SMALL).unwrap();
        for logged in &self.log {
            apply_frame(&rebuilt, logged);
        }
        self.compare(&rebuilt);
    }

    /// Everything that waits is served in the end, and nothing else.
    fn drain(&mut self) {
        let expected: BTreeSet<u8> = self
            .model
            .waiting
            .keys()
            .copied()
            .filter(|number| !self.model.leased.contains(number))
            .collect();
        let origins = self.store().counts().origins as u32;
        let taken = (0..origins).flat_map(|origin| self.store().take(origin, 1000, None).unwrap());
        let served: Vec<u8> = taken
            .map(|url| url.href.rsplit('/').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(served.len(), expected.len());
        assert_eq!(served.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

impl UrlStore {
    fn queues_number(&self, name: &str) -> Option<u32> {
        let queues = self.queues.lock();
        (0..queues.names.len() as u32).find(|&number| queues.names.get(number) == Some(name))
    }
}

fn apply_frame(store: &UrlStore, logged: &Logged) {
    let blobs: Vec<&[u8]> = logged.blobs.iter().map(Vec::as_slice).collect();
    let finished = logged
        .ended
        .iter()
        .map(|&number| (key(&href(number)), None));
    let finished: Vec<_> = finished.collect();
    let order = logged.order.iter();
    let order: Vec<_> = order
        .map(|&(number, priority)| (key(&href(number)), priority))
        .collect();
    let synced = Synced {
        blobs: &blobs,
        finished: &finished,
        reprioritised: &order,
        ..Synced::default()
    };
    store.apply_synced(store.applied() + 1, synced).unwrap();
}

fn live(steps: &[Step], directory: Option<tempfile::TempDir>) {
    let store = match &directory {
        Some(directory) => open(directory.path()),
        None => UrlStore::in_memory(SMALL).unwrap(),
    };
    let mut world = World {
        model: Model::default(),
        store: Some(store),
        directory,
        log: Vec::new(),
        admitted: Vec::new(),
        ordered: Vec::new(),
    };
    for step in steps {
        world.step(step);
        world.compare(world.store());
        world.compare_classes();
    }
    world.count_chunks();
    world.rebuild();
    world.drain();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_url_is_lost_or_served_twice_in_memory(steps in proptest::collection::vec(step(), 1..60)) {
        live(&steps, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn no_url_is_lost_or_served_twice_on_disk(steps in proptest::collection::vec(step(), 1..40)) {
        live(&steps, Some(tempfile::tempdir().unwrap()));
    }
}
