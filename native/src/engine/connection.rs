//! A connection: TCP, or TLS over it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

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
    /// What was let pass when it was made (a certificate that nobody vouches for).
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

    /// False when the other side has closed it, or sent what nobody asked for, as far as can be
    /// told without waiting. On TLS only a failed request tells: tickets may come at any time.
    pub fn is_fresh(&self) -> bool {
        match &self.stream {
            Stream::Plain(stream) => {
                let result = stream.try_read(&mut [0; 1]);
                matches!(result, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
            }
            Stream::Secure(_) => true,
        }
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
