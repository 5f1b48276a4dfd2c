//! The server itself: it listens on this machine alone, and bounds connections, requests and times.

use super::app::App;
use super::controls::ControlConsent;
use super::peer::Peer;
use super::request_line::is_within_bound;
use super::routes::routes;
use bakeoff_files::Folder;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The most connections at the same time; others wait.
const CONNECTIONS_MAX: usize = 256;
/// The most headers of a request, and the most bytes of them.
const HEADERS_MAX: usize = 64;
const HEADER_BYTES_MAX: usize = 32 << 10;
/// Time within which the headers of a request are there.
const HEADER_TIME_MAX: Duration = Duration::from_secs(3);
/// Time after which a connection ends, whatever it does. A page goes on with a new one, where it was.
const CONNECTION_TIME_MAX: Duration = Duration::from_secs(600);
/// Time before the next connection is taken, after one could not be.
const PAUSE: Duration = Duration::from_millis(100);

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
}

/// The reason why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The folder cannot be read.
    #[error("{} cannot be served: {error}: name a folder with experiments in it", folder.display())]
    Folder {
        /// The folder that the user named.
        folder: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The port is taken, or not to be had.
    #[error(
        "port {port} of this machine cannot be used: {error}: without --port, a free one is taken"
    )]
    Port {
        /// The port that the user named; 0 for any.
        port: u16,
        /// The reason.
        error: io::Error,
    },
    /// The system gives no random numbers or threads.
    #[error("the server cannot start: {0}")]
    Start(io::Error),
}

impl Server {
    /// Listens on 127.0.0.1, on a port or, if that is 0, on any that is free, for experiments below a folder. With a
    /// leave, its pages also start, stop and change something.
    ///
    /// # Errors
    /// The folder cannot be read, or the port cannot be used.
    pub async fn bind(
        root: &Path,
        port: u16,
        leave: Option<ControlConsent>,
    ) -> Result<Self, ServeError> {
        Folder::named_by_user(root).map_err(|error| ServeError::Folder {
            folder: root.to_owned(),
            error,
        })?;
        let listening = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let listener = listening.map_err(|error| ServeError::Port { port, error })?;
        let bound = listener.local_addr().map_err(ServeError::Start)?;
        let app = App::start(root, bound.port(), leave).map_err(ServeError::Start)?;
        Ok(Self {
            listener,
            app: Arc::new(app),
        })
    }

    /// Returns the address to open, with the token that lets its holder read.
    pub fn address(&self) -> String {
        self.app.access.address()
    }

    /// Returns an address for the command line of a browser, which others on this machine can see: it has a token of its
    /// own, which lets in the first of this user's programs that opens it within a minute, and nobody after that.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn one_time_address(&self) -> io::Result<String> {
        self.app.access.one_time_address(Instant::now())
    }

    /// Serves until it is dropped.
    pub async fn run(self) {
        let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let service = TowerToHyperService::new(routes(self.app));
        loop {
            // Never closed, so that there is always a permit in the end.
            let Ok(permit) = connections.clone().acquire_owned().await else {
                return;
            };
            let Ok((mut stream, from)) = self.listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let service = service.clone();
            tokio::spawn(async move {
                let service = service_fn(move |mut request: Request<Incoming>| {
                    request.extensions_mut().insert(Peer(from));
                    service.call(request)
                });
                let first = tokio::time::timeout(HEADER_TIME_MAX, is_within_bound(&mut stream));
                if !matches!(first.await, Ok(Ok(true))) {
                    return;
                }
                let served = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEADER_TIME_MAX)
                    .max_headers(HEADERS_MAX)
                    .max_buf_size(HEADER_BYTES_MAX)
                    // So that each request has its first line held to its bound.
                    .keep_alive(false)
                    .serve_connection(TokioIo::new(stream), service);
                // However it ends, it concerns nobody else.
                let _ = tokio::time::timeout(CONNECTION_TIME_MAX, served).await;
                drop(permit);
            });
        }
    }
}
