//! Describes problems of secure connections for users who do not know the TLS library.

use std::io;

use rustls::{CertificateError, Error};

pub const OTHER_NAME: &str = "its certificate is for another host name";
pub const SELF_SIGNED: &str = "its certificate is self-signed";
pub const AUTHORITY: &str =
    "its certificate is marked as that of an authority, which no host may use";
pub const UNKNOWN_ISSUER: &str =
    "its certificate is signed by an authority that is not trusted here";
pub const EXPIRED: &str = "its certificate has expired";
pub const NOT_YET: &str = "its certificate is not valid yet";
pub const REVOKED: &str = "its certificate was revoked";
pub const OTHER_PURPOSE: &str = "its certificate is not meant for servers";
pub const DAMAGED: &str = "its certificate is damaged, or of a kind that is not understood";
pub const NO_TLS: &str = "what answers on this port does not speak TLS";
pub const TOO_OLD: &str = "the server speaks no version or cipher of TLS that is safe";
pub const REFUSED: &str = "the server refused the secure connection";
pub const BROKEN_OFF: &str = "the server broke off while a secure connection was made";
pub const FAILED: &str = "no secure connection could be made";

/// Describes the problem of a certificate, given the error of the verifier.
pub fn of_certificate(error: &Error, certificate: &[u8]) -> &'static str {
    let Error::InvalidCertificate(reason) = error else {
        return DAMAGED;
    };
    match reason {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            OTHER_NAME
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => EXPIRED,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => NOT_YET,
        CertificateError::Revoked => REVOKED,
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            OTHER_PURPOSE
        }
        CertificateError::UnknownIssuer if is_self_signed(certificate) => SELF_SIGNED,
        CertificateError::UnknownIssuer => UNKNOWN_ISSUER,
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            AUTHORITY
        }
        _ => DAMAGED,
    }
}

/// Describes a failed handshake. The problem of a certificate is already in words (`of_certificate`).
pub fn of_handshake(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let words = match inner {
        Some(Error::General(words)) => words,
        Some(Error::InvalidMessage(_) | Error::InappropriateMessage { .. }) => NO_TLS,
        Some(Error::PeerIncompatible(_)) => TOO_OLD,
        Some(Error::AlertReceived(_)) => REFUSED,
        Some(_) => FAILED,
        None if error.kind() == io::ErrorKind::InvalidData => NO_TLS,
        None => BROKEN_OFF,
    };
    words.to_owned()
}

/// Whether issuer and subject are equal. False if they cannot be read.
fn is_self_signed(certificate: &[u8]) -> bool {
    names(certificate).is_some_and(|(issuer, subject)| issuer == subject)
}

/// Issuer and subject of a certificate (RFC 5280, 4.1), still encoded.
fn names(certificate: &[u8]) -> Option<(&[u8], &[u8])> {
    const VERSION: u8 = 0xa0;
    let (_, certificate, _) = element(certificate)?;
    let (_, signed, _) = element(certificate)?;
    let (tag, _, after_version) = element(signed)?;
    let serial_on = if tag == VERSION {
        after_version
    } else {
        signed
    };
    let (_, _, algorithm_on) = element(serial_on)?;
    let (_, _, issuer_on) = element(algorithm_on)?;
    let (_, issuer, validity_on) = element(issuer_on)?;
    let (_, _, subject_on) = element(validity_on)?;
    let (_, subject, _) = element(subject_on)?;
    Some((issuer, subject))
}

/// Tag, content and rest of DER data whose first element has a one-byte tag.
fn element(data: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, data) = data.split_first()?;
    let (&first, data) = data.split_first()?;
    let (length, data) = match first {
        0..=0x7f => (usize::from(first), data),
        0x81..=0x84 => {
            let (bytes, data) = data.split_at_checked(usize::from(first & 0x7f))?;
            let length = bytes
                .iter()
                .fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
            (length, data)
        }
        _ => return None,
    };
    let (content, rest) = data.split_at_checked(length)?;
    Some((tag, content, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate that has only its names.
    fn certificate(issuer: &[u8], subject: &[u8]) -> Vec<u8> {
        let wrapped = |tag: u8, content: &[u8]| [&[tag, content.len() as u8], content].concat();
        let signed = [
            wrapped(0xa0, &[2, 1, 2]),
            wrapped(2, &[1]),
            wrapped(0x30, &[]),
            wrapped(0x30, issuer),
            wrapped(0x30, &[]),
            wrapped(0x30, subject),
        ]
        .concat();
        wrapped(0x30, &wrapped(0x30, &signed))
    }

    #[test]
    fn h1_an_issuer_that_is_the_subject_signed_itself() {
        assert!(is_self_signed(&certificate(b"me", b"me")));
        assert!(!is_self_signed(&certificate(b"me", b"you")));
    }

    #[test]
    fn h1_half_a_certificate_is_not_self_signed_and_harms_nobody() {
        let whole = certificate(b"me", b"me");
        for length in 0..whole.len() {
            assert!(!is_self_signed(&whole[..length]));
        }
        assert!(!is_self_signed(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x30]));
    }
}
