//! Requests in progress, and how they are cancelled.
//!
//! A ticket is here from its submission until its connection is closed (or pooled) and the end of its attempt is
//! written. A cancelled request comes back as a `Fetched` only after that: then its host may be contacted again (P1).

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::oneshot;

pub type CalledOff = oneshot::Receiver<&'static str>;

#[derive(Default)]
pub struct UnderWay(Mutex<FxHashMap<u64, oneshot::Sender<&'static str>>>);

impl UnderWay {
    pub fn begin(&self, ticket: u64) -> CalledOff {
        let (sender, called_off) = oneshot::channel();
        self.0.lock().insert(ticket, sender);
        called_off
    }

    pub fn end(&self, ticket: u64) {
        self.0.lock().remove(&ticket);
    }

    /// Cancels a request; `cause` becomes its failure. Returns false if the ticket is unknown.
    pub fn call_off(&self, ticket: u64, cause: &'static str) -> bool {
        let sender = self.0.lock().remove(&ticket);
        sender.is_some_and(|sender| sender.send(cause).is_ok())
    }
}
