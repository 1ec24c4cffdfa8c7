//! HTTPS whose certificate nobody vouches for, and a port that speaks no TLS.

use std::sync::Arc;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

use super::*;

/// A port with TLS and a certificate of its own making, for these names.
async fn unknown_authority(names: &[&str]) -> u16 {
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let key = made.signing_key.serialize_der().try_into().unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move { acceptor.accept(stream).await });
        }
    });
    port
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_is_final() {
    for names in [["localhost"], ["example.com"]] {
        let port = unknown_authority(&names).await;
        let rig = rig(&[&format!("* localhost:{port}")]);
        let url = format!("https://localhost:{port}/");
        let error = request(&rig, json!({"url": url, "method": "POST"}))
            .await
            .unwrap_err();
        assert!(
            matches!(
                error,
                ToolError::Permanent {
                    code: "certificate",
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_port_without_tls_was_sent_nothing() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let rig = rig(&[&format!("* 127.0.0.1:{port}")]);
    let url = format!("https://127.0.0.1:{port}/");
    let error = request(&rig, json!({"url": url, "method": "POST"}))
        .await
        .unwrap_err();
    assert!(
        matches!(error, ToolError::Transient { code: "tls", .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("nothing was sent"), "{error}");
}
