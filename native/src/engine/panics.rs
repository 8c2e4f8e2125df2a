//! Turns a panic, which is a bug of ours, into the failure of one request. Other requests are not affected.
//!
//! Unwinding drops the request: its connection is closed, and its share of the budget is returned. Locks of parking_lot
//! are not poisoned by a panic.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use super::failure::{Failure, cause};

/// Runs `work`, and returns its result or its panic as a failure.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(failure)
}

/// The same for a future.
pub async fn caught_async<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let mut work = pin!(work);
    poll_fn(
        move |context| match catch_panic(|| work.as_mut().poll(context)) {
            Ok(poll) => poll.map(Ok),
            Err(failure) => Poll::Ready(Err(failure)),
        },
    )
    .await
}

#[expect(clippy::needless_pass_by_value)] // what `catch_unwind` gives
fn failure(panic: Box<dyn Any + Send>) -> Failure {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message");
    Failure::new(cause::ENGINE_PANIC, format!("panic: {message}"))
}
