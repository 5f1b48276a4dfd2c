//! Options for workers on other machines, and what the host's policy says where they are not given.

use super::failure::Failure;
use super::options::{Output, Safety};
use super::whole_numbers;
use bakeoff_config::{Policy, PolicyWorkers};
use bakeoff_render::escape::Plain;
use bakeoff_run::{KnownMachine, RemoteWorkers};
use bakeoff_workers::{MachineState, RecheckShare, ServerAddress, ServerCredentials};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Value of `--workers` that leaves out the server of the host's policy.
const HERE: &str = "here";

/// Value of `--workers`: cores of this machine, or a server of workers on others, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WorkersValue {
    Cores(u32),
    Server(ServerAddress),
    Here,
}

/// Parses a value of `--workers`.
pub(super) fn workers_value(text: &str) -> Result<WorkersValue, String> {
    if text.contains("://") {
        let address = ServerAddress::parse(text);
        return address
            .map(WorkersValue::Server)
            .map_err(|error| error.to_string());
    }
    if text == HERE {
        return Ok(WorkersValue::Here);
    }
    whole_numbers::workers(text).map(WorkersValue::Cores)
}

pub(super) fn server_address(text: &str) -> Result<ServerAddress, String> {
    ServerAddress::parse(text).map_err(|error| error.to_string())
}

/// Files that a server of workers wants, or that prove that it is the right one.
#[derive(Clone, Debug, Args)]
pub(super) struct ServerFiles {
    /// Credentials for that server: a file with one line, USER:PASSWORD or a token
    #[arg(long, value_name = "FILE")]
    workers_creds: Option<PathBuf>,
    /// Certificates of the authorities that may vouch for that server, in PEM, in place of the system's
    #[arg(long, value_name = "FILE")]
    workers_ca: Option<PathBuf>,
}

impl ServerFiles {
    pub(super) fn are_given(&self) -> bool {
        self.workers_creds.is_some() || self.workers_ca.is_some()
    }

    fn credentials(&self) -> ServerCredentials {
        ServerCredentials {
            file: self.workers_creds.clone(),
            authorities: self.workers_ca.clone(),
        }
    }

    /// Returns the server that an option names, or else that of the host's policy.
    ///
    /// # Errors
    /// The address of the policy is none.
    pub(super) fn server(
        &self,
        named: Option<&ServerAddress>,
        policy: &Policy,
    ) -> Result<Option<WorkersServer>, Failure> {
        if let Some(address) = named {
            return Ok(Some(WorkersServer {
                address: address.clone(),
                credentials: self.credentials(),
                recheck: RecheckShare::default(),
                place: None,
            }));
        }
        let Some((workers, place)) = policy.workers() else {
            return Ok(None);
        };
        let PolicyWorkers {
            nats,
            creds,
            ca,
            recheck,
        } = workers;
        let address = ServerAddress::parse(nats).map_err(|error| {
            Failure::usage(format!(
                "the host's policy cannot be used, {place}: {error}"
            ))
        })?;
        let recheck = recheck.map(RecheckShare::try_from).transpose();
        Ok(Some(WorkersServer {
            address,
            credentials: ServerCredentials {
                file: self.workers_creds.clone().or_else(|| creds.clone()),
                authorities: self.workers_ca.clone().or_else(|| ca.clone()),
            },
            recheck: recheck.map_err(Failure::usage)?.unwrap_or_default(),
            place: Some(place),
        }))
    }
}

/// Server of workers on other machines, and how a run uses it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WorkersServer {
    pub(super) address: ServerAddress,
    pub(super) credentials: ServerCredentials,
    recheck: RecheckShare,
    /// The place in the host's policy that names it, if no option does.
    place: Option<String>,
}

/// Workers of a run: cores of this machine, and those of others.
#[derive(Clone, Debug, Args)]
pub(super) struct WorkersArguments {
    /// Cores to use at once; or a server where workers of other machines wait for checks: nats://HOST:PORT, or `here` for none,
    /// also where the host's policy names one. Once for each
    #[arg(long, value_name = "N|ADDRESS|here", value_parser = workers_value)]
    workers: Vec<WorkersValue>,
    #[command(flatten)]
    files: ServerFiles,
    /// Share of the answers of other machines that are worked out here, too, before they count, from 0 to 1: a machine that
    /// answered otherwise is named, and nothing of it is kept
    #[arg(long, value_name = "SHARE")]
    recheck: Option<RecheckShare>,
}

impl WorkersArguments {
    /// Returns true if an option is given.
    pub(super) fn is_given(&self) -> bool {
        !self.workers.is_empty()
    }

    /// Returns the number of cores to use, if it is given; the last one counts.
    pub(super) fn cores(&self) -> Option<u32> {
        self.workers.iter().rev().find_map(|value| match value {
            WorkersValue::Cores(cores) => Some(*cores),
            WorkersValue::Server(_) | WorkersValue::Here => None,
        })
    }

    fn has_options_of_servers(&self) -> bool {
        self.files.are_given() || self.recheck.is_some()
    }

    /// Returns the server of workers that this run uses, if there is one.
    fn server(&self, policy: &Policy) -> Result<Option<WorkersServer>, Failure> {
        let servers = self.workers.iter().filter_map(|value| match value {
            WorkersValue::Server(server) => Some(server),
            WorkersValue::Cores(_) | WorkersValue::Here => None,
        });
        let servers: Vec<&ServerAddress> = servers.collect();
        let is_here = self.workers.contains(&WorkersValue::Here);
        let server = match servers.as_slice() {
            [_, ..] if is_here => {
                return Err(Failure::usage(
                    "--workers names a server, and `here`: name one",
                ));
            }
            [_, _, ..] => return Err(Failure::usage("--workers names several servers: name one")),
            [] if is_here => None,
            named => self.files.server(named.first().copied(), policy)?,
        };
        match server {
            Some(server) => Ok(Some(WorkersServer {
                recheck: self.recheck.unwrap_or(server.recheck),
                ..server
            })),
            None if self.has_options_of_servers() => Err(Failure::usage(
                "--workers-creds, --workers-ca and --recheck belong to --workers nats://HOST:PORT",
            )),
            None => Ok(None),
        }
    }

    /// Connects to the server of workers, if an option or the host's policy names one, and says who works there.
    ///
    /// # Errors
    /// Several are named, files for none, or it cannot be had.
    pub(super) async fn connect(
        &self,
        machine: &KnownMachine,
        (safety, policy): (&Safety, &Policy),
        output: &Output,
    ) -> Result<(), Failure> {
        let server = self.server(policy)?;
        open(server, machine, (safety, policy), output).await
    }

    /// Connects to the server of workers, if an option names one. That of the host's policy is left out.
    ///
    /// # Errors
    /// As for [`connect`](Self::connect).
    pub(super) async fn connect_named(
        &self,
        machine: &KnownMachine,
        (safety, policy): (&Safety, &Policy),
        output: &Output,
    ) -> Result<(), Failure> {
        let server = self.server(&Policy::default())?;
        open(server, machine, (safety, policy), output).await
    }
}

/// Connects to a server of workers, if there is one, and says who works there.
async fn open(
    server: Option<WorkersServer>,
    machine: &KnownMachine,
    (safety, policy): (&Safety, &Policy),
    output: &Output,
) -> Result<(), Failure> {
    let Some(server) = server else {
        return Ok(());
    };
    let WorkersServer {
        address,
        credentials,
        recheck,
        place,
    } = server;
    let unconfined = safety.unconfined(policy)?;
    let confinement = machine.confinement(unconfined).await?;
    let mut say = output.reporter();
    let toolchain = machine.toolchain_fingerprint(unconfined, &mut say).await?;
    let known = (&confinement, toolchain);
    let workers = RemoteWorkers::connect(&address, &credentials, recheck, known).await;
    let workers = workers.map_err(|error| match place {
        None => Failure::from(error),
        Some(place) => Failure::infrastructure(format!(
            "{error}; the host's policy names that server, {place}: `--workers {HERE}` does without"
        )),
    })?;
    for text in workers.news() {
        say(&Plain(&text).to_string());
    }
    let is_here = |state: &MachineState| *state == MachineState::Here;
    if !workers.machines().iter().any(|one| is_here(&one.state)) {
        say(&format!(
            "no worker is at {address} now: all is done here until one comes"
        ));
    }
    machine.set_workers(Arc::new(workers));
    Ok(())
}

/// Says what changed about the workers of other machines since they were named, and what each did for other tasks than those of
/// runs, which say it themselves.
pub(super) fn say_workers(machine: &KnownMachine, output: &Output) {
    let Some(workers) = machine.workers() else {
        return;
    };
    let mut say = output.reporter();
    for text in workers.news().into_iter().chain(workers.survey_summary()) {
        say(&Plain(&text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_cores_and_an_address_a_server() {
        assert_eq!(workers_value("4"), Ok(WorkersValue::Cores(4)));
        let server = workers_value("nats://build-1");
        assert!(matches!(server, Ok(WorkersValue::Server(_))), "{server:?}");
        assert_eq!(workers_value("here"), Ok(WorkersValue::Here));
        for wrong in ["0", "four", "http://build-1", "nats://"] {
            assert!(workers_value(wrong).is_err(), "{wrong}");
        }
    }

    fn arguments(workers: &[&str], recheck: Option<&str>) -> WorkersArguments {
        let values = workers.iter().map(|text| workers_value(text).unwrap());
        WorkersArguments {
            workers: values.collect(),
            files: ServerFiles {
                workers_creds: None,
                workers_ca: Some("own.pem".into()),
            },
            recheck: recheck.map(|share| share.parse().unwrap()),
        }
    }

    #[test]
    fn an_option_goes_before_the_policy_and_here_leaves_its_server_out() {
        let text = "[workers]\nnats = \"nats://of-policy\"\ncreds = \"/runs\"\nrecheck = 0.5\n";
        let policy = Policy::parse(text, "policy.toml").unwrap();
        let share = |text: &str| text.parse::<RecheckShare>().unwrap();
        let of_policy = arguments(&["2"], None).server(&policy).unwrap().unwrap();
        assert_eq!(of_policy.address.host, "of-policy:4222");
        assert_eq!(of_policy.recheck, share("0.5"));
        assert_eq!(of_policy.place.as_deref(), Some("policy.toml:2"));
        let ServerCredentials { file, authorities } = of_policy.credentials;
        assert_eq!(file, Some("/runs".into()));
        assert_eq!(authorities, Some("own.pem".into()));
        let less = arguments(&[], Some("0")).server(&policy).unwrap().unwrap();
        assert_eq!(less.recheck, share("0"));
        let named = arguments(&["nats://named"], None);
        let named = named.server(&policy).unwrap().unwrap();
        assert_eq!(
            (named.address.host.as_str(), named.place),
            ("named:4222", None)
        );
        assert_eq!(
            named.credentials.file, None,
            "those of the policy are for its server"
        );
        for wrong in [
            &["here"][..],
            &["here", "nats://a"],
            &["nats://a", "nats://b"],
        ] {
            assert!(arguments(wrong, None).server(&policy).is_err(), "{wrong:?}");
        }
        let without_files = WorkersArguments {
            files: ServerFiles {
                workers_creds: None,
                workers_ca: None,
            },
            ..arguments(&["here"], None)
        };
        assert_eq!(without_files.server(&policy).unwrap(), None);
    }
}
