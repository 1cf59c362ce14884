//! Encrypted connections to a model's server, with certificates of an authority of our own.

use crate::program::without_saving;
use crate::server::{KEY, reply};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An authority, and its certificate in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::self_signed(params, key).unwrap();
        let file = folder.join("authority.pem");
        std::fs::write(&file, issuer.pem()).unwrap();
        Self { issuer, file }
    }
}

/// A server that answers every request like a model; returns its port and the number of connections
/// so far.
fn serve(certificate: CertificateDer<'static>, key: &KeyPair) -> (u16, Arc<AtomicUsize>) {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let (config, listener) = (
        Arc::new(config),
        TcpListener::bind(("localhost", 0)).unwrap(),
    );
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&connections);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counter.fetch_add(1, Ordering::SeqCst);
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // A client that refuses the certificate ends the connection.
            std::thread::spawn(move || answer(StreamOwned::new(connection, stream)));
        }
    });
    (port, connections)
}

fn answer(stream: StreamOwned<ServerConnection, TcpStream>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    for n in 0.. {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let text = reply(&body, n).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", text.len());
        stream.get_mut().write_all((head + &text).as_bytes())?;
        stream.get_mut().flush()?;
    }
    Ok(())
}

/// Plays one game against the server at this port, trusting the authorities of `file` alone.
fn play(port: u16, file: &Path) -> Output {
    let words = "run beer-game --episodes 1 --agent openai:model";
    let mut command = without_saving(&words.split(' ').collect::<Vec<_>>());
    command
        .env("OPENAI_BASE_URL", format!("https://localhost:{port}/v1"))
        .env("OPENAI_API_KEY", KEY)
        .env("SSL_CERT_FILE", file)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap()
}

/// The certificate of a server called `name`, changed by `change` and signed by the authority.
fn signed(
    authority: &Authority,
    name: &str,
    change: fn(&mut CertificateParams),
) -> (CertificateDer<'static>, KeyPair) {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &authority.issuer).unwrap();
    (certificate.der().clone(), key)
}

#[test]
fn a_server_of_a_given_authority_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path());
    let (certificate, key) = signed(&authority, "localhost", |_| {});
    let output = play(serve(certificate, &key).0, &authority.file);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("mean score"), "{text}");
}

/// A wrong name, a certificate that has expired, one that signs itself, and one of an authority
/// that only bears the name of the trusted one.
#[test]
fn wrong_certificates_are_refused_without_a_second_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let stranger = Authority::new(elsewhere.path());
    let own = KeyPair::generate().unwrap();
    let mut of_itself = CertificateParams::new(["localhost".to_owned()]).unwrap();
    // The name of the trusted authority is the default of the library.
    let name = &mut of_itself.distinguished_name;
    name.push(DnType::CommonName, "nobody else");
    let of_itself = of_itself.self_signed(&own).unwrap().der().clone();
    let expired = |params: &mut CertificateParams| {
        params.not_before = date_time_ymd(2019, 1, 1);
        params.not_after = date_time_ymd(2020, 1, 1);
    };
    for (why, (certificate, key)) in [
        (
            "not valid for name",
            signed(&authority, "example.org", |_| {}),
        ),
        ("expired", signed(&authority, "localhost", expired)),
        ("UnknownIssuer", (of_itself, own)),
        ("BadSignature", signed(&stranger, "localhost", |_| {})),
    ] {
        let (port, connections) = serve(certificate, &key);
        let output = play(port, &authority.file);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{why}");
        assert!(text.contains("certificate") && text.contains(why), "{text}");
        assert_eq!(connections.load(Ordering::SeqCst), 1, "{why}");
    }
}

/// A server of plain HTTP answers the greeting of TLS with words of its own.
#[test]
fn a_server_without_tls_is_named_and_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&connections);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            seen.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 512]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let output = play(port, &authority.file);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("does not speak TLS; try http://"), "{text}");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}
