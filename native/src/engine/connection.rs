//! A connection: TCP, or TLS over it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    /// A problem that was accepted when the connection was made, such as an untrusted certificate.
    pub note: Option<Arc<str>>,
}

impl Connection {
    pub fn plain(stream: TcpStream) -> Self {
        Connection {
            stream: Stream::Plain(stream),
            note: None,
        }
    }

    pub fn secure(stream: TlsStream<TcpStream>, note: Option<String>) -> Self {
        Connection {
            stream: Stream::Secure(Box::new(stream)),
            note: note.map(Arc::from),
        }
    }

    /// False if the other side has closed it or sent unexpected data, as far as is known without waiting. TLS processes
    /// its own messages here: tickets may arrive at any time.
    pub fn is_fresh(&mut self) -> bool {
        let mut nobody = Context::from_waker(Waker::noop());
        let mut byte = [0; 1];
        let read = Pin::new(self).poll_read(&mut nobody, &mut ReadBuf::new(&mut byte));
        read.is_pending()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Secure(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, data),
            Stream::Secure(stream) => Pin::new(stream).poll_write(context, data),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Secure(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Secure(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
