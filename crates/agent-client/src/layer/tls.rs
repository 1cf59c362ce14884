//! Encrypted connections.

use crate::error::AgentError;
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::io;
use std::sync::Arc;

/// The settings of encrypted connections: servers are checked against the authorities that this
/// machine trusts (on Linux, `SSL_CERT_FILE` and `SSL_CERT_DIR` name others).
///
/// The provider of the cryptography is named here and not installed for the whole process, so that
/// a program that embeds this crate keeps its own.
pub(super) fn client_config() -> Result<ClientConfig, AgentError> {
    let failed = |e: rustls::Error| AgentError::setup(format!("no encryption: {e}"));
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_platform_verifier())
        .map_err(failed)?;
    Ok(config.with_no_client_auth())
}

/// Whether a connection failed because the certificate of the server was refused.
pub(super) fn is_refused_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(rustls::Error::InvalidCertificate(_)) = error.downcast_ref() {
            return true;
        }
        // An I/O error does not count the error inside it as its source.
        let io = error.downcast_ref::<io::Error>();
        at = match io.and_then(io::Error::get_ref) {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    false
}
