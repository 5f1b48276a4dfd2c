"""Cables between a server and the machines around it, which can be cut: both ways, or one way.

With leave to make network namespaces, each machine has one of its own and a cable (veth) to the server. Without, there is a relay
of TCP for each machine, which reads no more in a direction that is cut: what was said arrives later, as over a cable, but what
the kernel answers (that a packet arrived) still comes.
"""

import os
import socket
import subprocess
import threading
import time

WAYS = ("both", "to the server", "from the server")


def quiet(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class Namespaces:
    """Machines in network namespaces, in this process's own namespaces of networks and mounts."""

    name = "network namespaces"

    def __init__(self, machines, port):
        self.port = port
        self.number = {machine: number for number, machine in enumerate(machines)}
        quiet("ip", "link", "set", "lo", "up")
        for machine in machines:
            inside, outside = self.ends(machine)
            quiet("ip", "netns", "add", machine)
            quiet("ip", "link", "add", f"v-{machine}", "type", "veth", "peer", "name", "eth0", "netns", machine)
            quiet("ip", "address", "add", f"{outside}/30", "dev", f"v-{machine}")
            quiet("ip", "link", "set", f"v-{machine}", "up")
            self.within(machine, "ip", "address", "add", f"{inside}/30", "dev", "eth0")
            self.within(machine, "ip", "link", "set", "eth0", "up")
            self.within(machine, "ip", "link", "set", "lo", "up")

    def ends(self, machine):
        third = 1 + self.number[machine]
        return f"10.77.{third}.2", f"10.77.{third}.1"

    def command(self, machine, words):
        return ["nsenter", f"--net=/run/netns/{machine}", *words]

    def within(self, machine, *words):
        quiet(*self.command(machine, words))

    def host(self, machine):
        return f"{self.ends(machine)[1]}:{self.port}"

    def cut(self, machine, way):
        inside, outside = self.ends(machine)
        # Packets to a neighbour that does not exist are dropped without a word.
        nobody = ["lladdr", "02:00:00:00:00:99", "nud", "permanent"]
        if way == "both":
            quiet("ip", "link", "set", f"v-{machine}", "down")
        elif way == "to the server":
            self.within(machine, "ip", "neigh", "replace", outside, "dev", "eth0", *nobody)
        else:
            quiet("ip", "neigh", "replace", inside, "dev", f"v-{machine}", *nobody)

    def heal(self, machine, way):
        inside, outside = self.ends(machine)
        if way == "both":
            quiet("ip", "link", "set", f"v-{machine}", "up")
        elif way == "to the server":
            self.within(machine, "ip", "neigh", "del", outside, "dev", "eth0")
        else:
            quiet("ip", "neigh", "del", inside, "dev", f"v-{machine}")

    def bind(self):
        return "0.0.0.0"


class Relays:
    """Machines that reach the server through a relay each."""

    name = "relays of TCP"

    def __init__(self, machines, port):
        self.port = port
        self.open = {}
        self.ports = {}
        for machine in machines:
            self.open[machine] = {"to the server": threading.Event(), "from the server": threading.Event()}
            for event in self.open[machine].values():
                event.set()
            listener = socket.create_server(("127.0.0.1", 0))
            self.ports[machine] = listener.getsockname()[1]
            threading.Thread(target=self.accept, args=(machine, listener), daemon=True).start()

    def command(self, _machine, words):
        return list(words)

    def host(self, machine):
        return f"127.0.0.1:{self.ports[machine]}"

    def accept(self, machine, listener):
        while True:
            near, _ = listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.port), timeout=2)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            for source, sink, way in ((near, far, "to the server"), (far, near, "from the server")):
                threading.Thread(target=self.pass_on, args=(source, sink, self.open[machine][way]), daemon=True).start()

    def pass_on(self, source, sink, is_open):
        try:
            while True:
                is_open.wait()
                data = source.recv(65536)
                is_open.wait()
                if not data:
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def ways(self, machine, way):
        return [event for name, event in self.open[machine].items() if way in ("both", name)]

    def cut(self, machine, way):
        for event in self.ways(machine, way):
            event.clear()

    def heal(self, machine, way):
        for event in self.ways(machine, way):
            event.set()

    def bind(self):
        return "127.0.0.1"


def isolated(environment="BAKEOFF_STAND_ISOLATED"):
    """Starts this program again in namespaces of its own, if that may be done; returns in which of both worlds it is."""
    if os.environ.get(environment):
        return os.environ[environment] == "namespaces"
    import sys

    own = ["unshare", "--net", "--mount"]
    for words in (own, [*own, "--user", "--map-root-user"]):
        # /run is made anew in these namespaces, since its real owner may be somebody else.
        script = 'mount -t tmpfs none /run && mkdir /run/netns && ip link set lo up && ip netns add try && ip netns del try'
        try:
            tried = subprocess.run([*words, "sh", "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            break
        if tried.returncode == 0:
            again = 'mount -t tmpfs none /run && mkdir /run/netns && exec "$@"'
            os.environ[environment] = "namespaces"
            os.execvp(words[0], [*words, "sh", "-c", again, "sh", sys.executable, *sys.argv])
    os.environ[environment] = "relays"
    return False


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(host, port, seconds=30):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            socket.create_connection((host, port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False
