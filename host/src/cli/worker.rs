//! `bakeoff worker`: this machine does checks and builds of other machines' runs.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output, Safety};
use super::other_machines::server_address;
use bakeoff_config::{Policy, units};
use bakeoff_domain::wording;
use bakeoff_render::escape::Plain;
use bakeoff_run::{CompilerNeed, KnownMachine, PortableServer, Tools, wasi_imports, worker_facts};
use bakeoff_workers::{MachineName, ServerAddress, ServerCredentials, Service, ServiceEvent};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The time in which what was stopped says its last.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Does checks and builds of other machines' runs on this one: what `bakeoff run --workers ADDRESS` sends
///
/// It takes a task whenever a core is free, does it behind the fence of this machine and within the limits of its policy,
/// and goes on until it is stopped. Nothing is timed here that is compared.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff worker nats://build-1:4222
  bakeoff worker tls://nats.example:4222/graphics --creds worker.creds --cores 6

Ctrl-C or SIGTERM ends it: what it had is done elsewhere.")]
pub(super) struct Arguments {
    /// The server: nats://HOST:PORT or tls://HOST:PORT, and /TEAM where several share one
    #[arg(value_name = "ADDRESS", value_parser = server_address)]
    address: ServerAddress,
    /// Credentials for the server: a file with one line, USER:PASSWORD or a token
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// Certificates of the authorities that may vouch for the server, in PEM, in place of the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The name of this machine, which no other of the team may have; that of the system without
    #[arg(long, value_name = "NAME", value_parser = machine_name)]
    name: Option<MachineName>,
    /// Cores that take tasks; all without
    #[arg(long, value_name = "N", value_parser = super::whole_numbers::workers)]
    cores: Option<u32>,
    /// The longest time of a task
    #[arg(long, value_name = "TIME", value_parser = task_time, default_value = "30min")]
    task_max: Duration,
    #[command(flatten)]
    safety: Safety,
}

/// Parses the longest time of a task.
fn task_time(text: &str) -> Result<Duration, String> {
    let time = units::duration(text).map_err(|error| error.to_string())?;
    let (least, most) = (Duration::from_secs(1), Duration::from_secs(24 * 3_600));
    if (least..=most).contains(&time) {
        Ok(time)
    } else {
        Err("it is not between 1s and 24h".to_owned())
    }
}

fn machine_name(text: &str) -> Result<MachineName, String> {
    MachineName::try_from(text.to_owned())
}

impl Arguments {
    fn name(&self) -> Result<MachineName, Failure> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let system = rustix::system::uname();
        let name = MachineName::like(&system.nodename().to_string_lossy());
        name.ok_or_else(|| Failure::usage("this machine has no name: give it one by --name"))
    }

    /// Returns the numbers of the cores that take tasks.
    fn cores(&self) -> Vec<usize> {
        let all = bakeoff_confine::usable_cores();
        let count = self.cores.and_then(|cores| usize::try_from(cores).ok());
        let count = count.unwrap_or(all.len());
        all.into_iter().take(count).collect()
    }
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human])?;
    let policy = Policy::of_host()?;
    let (name, cores) = (arguments.name()?, arguments.cores());
    let tools = Tools::open(
        arguments.safety.unconfined(&policy)?,
        CompilerNeed::Components,
        wasi_imports(&policy),
        arguments.safety.cache()?,
        cores.len(),
        &KnownMachine::default(),
        &mut output.reporter(),
    )
    .await?;
    let toolchain = tools.builder.toolchain_fingerprint();
    let facts = worker_facts(&tools.confinement, cores.len(), toolchain)?;
    let credentials = ServerCredentials {
        file: arguments.creds.clone(),
        authorities: arguments.ca.clone(),
    };
    let address = &arguments.address;
    let ends = bakeoff_workers::connect_worker(address, &credentials, &name, cores.len()).await;
    let ends = ends.map_err(Failure::infrastructure)?;
    if let Some(asked) = arguments.cores
        && (asked as usize) > cores.len()
    {
        output.reporter()(&format!(
            "warning: --cores {asked} is more than this machine lets bakeoff use: {}",
            cores.len()
        ));
    }
    let greeting = format!(
        "worker {name} at {address}: {}, bakeoff {}, engine {}, fence {}, {}",
        wording::counted(cores.len(), "core"),
        facts.bakeoff,
        facts.engine,
        facts.fence,
        match facts.toolchain.as_str() {
            "" => "no Rust compiler: it builds nothing",
            toolchain => toolchain,
        }
    );
    let (events, happened) = unbounded_channel();
    let service = Service {
        facts,
        cores,
        task_max: arguments.task_max,
        server: Arc::new(PortableServer::new(&tools, policy)),
        events,
    };
    let saying = tokio::spawn(say(happened, greeting, output.clone()));
    let served = service.run(ends, stopped()).await;
    // What was stopped may hold its way of speaking for a moment.
    let _ = tokio::time::timeout(LAST_WORDS, saying).await;
    served.map_err(Failure::infrastructure)?;
    Ok(Status::Done)
}

/// Waits until the user or the system asks this process to end.
async fn stopped() {
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminated) => drop(terminated.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

/// Says on stderr what happens.
async fn say(mut happened: UnboundedReceiver<ServiceEvent>, greeting: String, output: Output) {
    let mut say = output.reporter();
    while let Some(event) = happened.recv().await {
        let text = match event {
            ServiceEvent::Begun => greeting.clone(),
            ServiceEvent::Took(task, core) if output.verbose => format!("core {core}: {task}"),
            ServiceEvent::Did(task, time) if output.verbose => {
                format!("did {task} in {:.1} s", time.as_secs_f64())
            }
            ServiceEvent::Took(..) | ServiceEvent::Did(..) => continue,
            ServiceEvent::Dropped(task, why) => format!("dropped {task}: {why}"),
            ServiceEvent::Trouble(why) => format!("warning: {why}"),
        };
        say(&Plain(&text).to_string());
    }
}
