//! Encrypted connections.

use crate::error::AgentError;
use rustls::crypto::ring;
use rustls::{ClientConfig, InvalidMessage, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::io;
use std::sync::Arc;

/// The settings of encrypted connections: the certificates of servers are checked against the authorities
/// that this machine trusts (on Linux, `SSL_CERT_FILE` and `SSL_CERT_DIR` name others).
///
/// The provider of the cryptography is named here and not installed for the whole process, so that
/// a program that embeds this crate keeps its own.
///
/// A server without encryption (`encrypted` false) needs no authorities: the settings then trust nobody,
/// and a machine without certificates can use it.
pub(super) fn client_config(encrypted: bool) -> Result<ClientConfig, AgentError> {
    let failed = |e: rustls::Error| AgentError::setup(format!("TLS cannot be set up: {e}"));
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let builder = if encrypted {
        builder.with_platform_verifier().map_err(failed)?
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    Ok(builder.with_no_client_auth())
}

/// Whether a connection failed because the certificate of the server was refused.
pub(super) fn is_refused_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        failure_in(error),
        Some(rustls::Error::InvalidCertificate(_))
    )
}

/// Whether a connection failed because what the server sent first is not TLS.
pub(super) fn is_not_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        failure_in(error),
        Some(rustls::Error::InvalidMessage(
            InvalidMessage::InvalidContentType
        ))
    )
}

/// The failure of TLS among the causes of `error`.
fn failure_in<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // `io::Error::source` skips the error that it wraps, which is the one that is looked for here.
        let io = error.downcast_ref::<io::Error>();
        at = match io.and_then(io::Error::get_ref) {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    None
}
