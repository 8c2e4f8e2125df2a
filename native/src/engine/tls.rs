//! TLS: verified with the system's roots (or Mozilla's if it has none) and the operator's `ca_file`.
//!
//! With `verify_tls` off, an untrusted certificate does not end the fetch. The signature of the
//! handshake is still checked, and the problem of the certificate is recorded on the connection, and
//! so on every fetch over it. It is judged after the handshake, not in it, because
//! resumed sessions show no certificate to a verifier.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::failure::{Failure, cause};
use super::tls_words;
use crate::error::{Error, Result};
use crate::files;

/// Hosts whose TLS sessions are cached, so that a connection can be reopened without a full handshake. A few kilobytes
/// each.
const SESSIONS: usize = 4_096;

/// The root certificates are read at the first `https` request.
#[derive(Debug)]
pub struct Tls {
    own_roots: Vec<CertificateDer<'static>>,
    verify: bool,
    ready: OnceLock<std::result::Result<Ready, String>>,
}

struct Ready {
    connector: TlsConnector,
    judge: Arc<WebPkiServerVerifier>,
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Ready")
    }
}

impl Tls {
    pub fn new(ca_file: Option<&Path>, verify: bool) -> Result<Self> {
        Ok(Tls {
            own_roots: ca_file.map_or_else(|| Ok(Vec::new()), read_roots)?,
            verify,
            ready: OnceLock::new(),
        })
    }

    /// Returns the encrypted stream, and the problem of the certificate if it was accepted nevertheless.
    pub async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> std::result::Result<(TlsStream<TcpStream>, Option<String>), Failure> {
        let failed = |detail: String| Failure::new(cause::TLS_FAILED, detail);
        let ready = self
            .ready
            .get_or_init(|| tokio::task::block_in_place(|| self.prepare()));
        let ready = ready.as_ref().map_err(|detail| failed(detail.clone()))?;
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| failed("the host has no name that TLS could verify".into()))?;
        let stream = ready
            .connector
            .connect(name.clone(), stream)
            .await
            .map_err(|error| failed(tls_words::of_handshake(&error)))?;
        let doubt = if self.verify {
            None
        } else {
            ready.doubt(&stream, &name)
        };
        Ok((stream, doubt))
    }

    fn prepare(&self) -> std::result::Result<Ready, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let roots = Arc::new(self.roots());
        let judge = WebPkiServerVerifier::builder_with_provider(roots, provider.clone())
            .build()
            .map_err(|error| error.to_string())?;
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier: Arc<dyn ServerCertVerifier> = match self.verify {
            true => Arc::new(InWords(judge.clone())),
            false => Arc::new(AnyCertificate(provider)),
        };
        let mut config = builder
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.resumption = Resumption::in_memory_sessions(SESSIONS);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Ready {
            connector: TlsConnector::from(Arc::new(config)),
            judge,
        })
    }

    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        roots.add_parsable_certificates(self.own_roots.iter().cloned());
        roots
    }
}

impl Ready {
    fn doubt(&self, stream: &TlsStream<TcpStream>, name: &ServerName<'_>) -> Option<String> {
        let certificates = stream.get_ref().1.peer_certificates()?;
        let (own, others) = certificates.split_first()?;
        self.judge
            .verify_server_cert(own, others, name, &[], UnixTime::now())
            .err()
            .map(|error| {
                let words = tls_words::of_certificate(&error, own);
                format!("certificate not trusted: {words}")
            })
    }
}

/// Maximum size of a file of root certificates. Those of a whole system take 250 KB.
const LARGEST_CA_FILE: u64 = 16 * 1024 * 1024;

fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let context = || format!("ca_file {}", path.display());
    let text =
        files::read_named(path, LARGEST_CA_FILE).map_err(|error| Error::io(context(), error))?;
    let roots: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match roots {
        Ok(roots) if !roots.is_empty() => Ok(roots),
        _ => Err(Error::Invalid(format!(
            "{} holds no certificate in PEM form",
            context()
        ))),
    }
}

/// Verifies like the inner verifier, but describes problems in words. They pass through the handshake as an unspecified
/// error.
#[derive(Debug)]
struct InWords(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for InWords {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        self.0
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
            .map_err(|error| {
                rustls::Error::General(tls_words::of_certificate(&error, end_entity).into())
            })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Accepts every certificate, but checks that the server has its private key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
