"""A machine that `ssh` reaches: a server of OpenSSH with folders of its own, and where that is allowed a network of its own."""

import getpass
import os
import pathlib
import shlex
import socket
import subprocess
import time

from network import quiet


def prepare(folder):
    """Makes the keys of both ends; in a namespace of mounts, also what a server wants that is started by root."""
    for name in ("host", "user"):
        quiet("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/key-{name}")


def become_root_of_a_machine(folder):
    """Makes places that a server of root wants, seen by this process and its children alone."""
    quiet("mount", "-t", "tmpfs", "none", "/run")
    os.mkdir("/run/sshd", 0o755)
    users = pathlib.Path("/etc/passwd").read_text(encoding="utf-8")
    if "\nsshd:" not in users:
        users = users.rstrip("\n") + "\nsshd:x:74:65534::/run/sshd:/usr/sbin/nologin\n"
        pathlib.Path(f"{folder}/passwd").write_text(users, encoding="utf-8")
        os.chmod(f"{folder}/passwd", 0o644)
        quiet("mount", "--bind", f"{folder}/passwd", "/etc/passwd")
    quiet("ip", "link", "set", "lo", "up")


def home_of(variable, folder):
    return os.environ.get(variable) or os.path.join(os.path.expanduser("~"), folder)


def processes():
    """Returns all processes that can be seen: number, parent, program, working folder and command line."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            stat = pathlib.Path(f"/proc/{name}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
            if stat[0] == "Z":
                continue
            words = pathlib.Path(f"/proc/{name}/cmdline").read_bytes().decode(errors="replace").split("\0")
            program, place = os.readlink(f"/proc/{name}/exe"), os.readlink(f"/proc/{name}/cwd")
        except OSError:
            # It ended meanwhile, or is somebody else's.
            continue
        found[int(name)] = (int(stat[1]), program, place, " ".join(words).strip())
    return found


class Machine:
    """The other machine, and the folders of a user here who has a key for it."""

    def __init__(self, name, number, options):
        self.name, self.number, self.options = name, number, options
        self.far, self.near = f"{options.folder}/{name}/far", f"{options.folder}/{name}/near"
        for folder in ("far/home", "far/tmp", "near/home", "near/tmp", "near/bin", "work"):
            os.makedirs(f"{options.folder}/{name}/{folder}")
        self.work = f"{options.folder}/{name}/work"
        self.server = None
        if options.cables:
            # Both ends of a cable, one of them in a network of the machine's own.
            self.host, self.port = f"10.78.{number}.2", 2222
            quiet("ip", "netns", "add", name)
            quiet("ip", "link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
            quiet("ip", "address", "add", f"10.78.{number}.1/30", "dev", f"v-{name}")
            quiet("ip", "link", "set", f"v-{name}", "up")
            quiet("ip", "-n", name, "address", "add", f"{self.host}/30", "dev", "eth0")
            quiet("ip", "-n", name, "link", "set", "eth0", "up")
            quiet("ip", "-n", name, "link", "set", "lo", "up")
        else:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.host, self.port = free.getsockname()
        self.write_configurations()
        self.start()

    def write_configurations(self):
        folder, user = self.options.folder, getpass.getuser()
        words = {
            "HOME": f"{self.far}/home",
            "TMPDIR": f"{self.far}/tmp",
            "PATH": os.environ["PATH"],
            "CARGO_HOME": home_of("CARGO_HOME", ".cargo"),
            "RUSTUP_HOME": home_of("RUSTUP_HOME", ".rustup"),
        }
        environment = " ".join(f'"{key}={value}"' for key, value in words.items())
        lines = [
            f"ListenAddress {self.host}:{self.port}",
            f"HostKey {folder}/key-host",
            f"AuthorizedKeysFile {folder}/key-user.pub",
            f"AllowUsers {user}",
            "StrictModes no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "UsePAM no",
            "PidFile none",
            f"SetEnv {environment}",
        ]
        pathlib.Path(f"{self.far}/sshd_config").write_text("\n".join(lines) + "\n", encoding="utf-8")
        key = pathlib.Path(f"{folder}/key-host.pub").read_text(encoding="utf-8")
        pathlib.Path(f"{self.near}/known").write_text(f"[{self.host}]:{self.port} {key}", encoding="utf-8")
        lines = [
            f"Host {self.name}",
            f"HostName {self.host}",
            f"Port {self.port}",
            f"User {user}",
            f"IdentityFile {folder}/key-user",
            "IdentitiesOnly yes",
            "StrictHostKeyChecking yes",
            f"UserKnownHostsFile {self.near}/known",
            "GlobalKnownHostsFile /dev/null",
        ]
        pathlib.Path(f"{self.near}/ssh_config").write_text("\n".join(lines) + "\n", encoding="utf-8")
        ssh = f'#!/bin/sh\nexec {shlex.quote(self.options.ssh)} -F {shlex.quote(self.near + "/ssh_config")} "$@"\n'
        path = pathlib.Path(f"{self.near}/bin/ssh")
        path.write_text(ssh, encoding="utf-8")
        path.chmod(0o755)

    def start(self):
        """Starts the server, and waits until it answers."""
        words = [self.options.server, "-D", "-e", "-f", f"{self.far}/sshd_config"]
        if self.options.cables:
            words = ["nsenter", f"--net=/run/netns/{self.name}", *words]
        environment = dict(os.environ)
        if self.options.libraries:
            environment["LD_LIBRARY_PATH"] = self.options.libraries
        with open(f"{self.far}/sshd.log", "ab") as log:
            self.server = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(200):
            try:
                socket.create_connection((self.host, self.port), timeout=5).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"on: sshd does not answer: {pathlib.Path(f'{self.far}/sshd.log').read_text(encoding='utf-8')[-500:]}")

    def sessions(self):
        """Returns the server's processes for connections, each with a connection's last."""
        found = processes()
        below = {self.server.pid}
        for number in sorted(found):
            if found[number][0] in below and "sshd" in os.path.basename(found[number][1]):
                below.add(number)
        return sorted(below - {self.server.pid})

    def stop(self):
        """Ends the server and all its connections, as a machine that loses its power."""
        for number in [self.server.pid, *self.sessions()]:
            try:
                os.kill(number, 9)
            except ProcessLookupError:
                pass
        self.server.wait()

    def cut(self):
        quiet("ip", "link", "set", f"v-{self.name}", "down")

    def environment(self):
        """Returns the variables of the user here."""
        kept = ("LANG", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN")
        own = {key: os.environ[key] for key in kept if key in os.environ}
        own |= {"HOME": f"{self.near}/home", "TMPDIR": f"{self.near}/tmp", "PATH": f"{self.near}/bin:{os.environ['PATH']}"}
        own.setdefault("CARGO_HOME", home_of("CARGO_HOME", ".cargo"))
        own.setdefault("RUSTUP_HOME", home_of("RUSTUP_HOME", ".rustup"))
        return own

    def command(self, *words, on=True):
        """Starts a command on the other machine, or here."""
        way = ["--on", f"ssh:{self.name}"] if on else []
        with open(f"{self.near}/stdout", "wb") as stdout, open(f"{self.near}/stderr", "wb") as stderr:
            return subprocess.Popen(
                [self.options.bakeoff, *way, *words],
                cwd=self.work,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )

    def printed(self, stream):
        """Returns what the last command printed: `stdout` or `stderr`."""
        return pathlib.Path(f"{self.near}/{stream}").read_text(encoding="utf-8", errors="replace")
