"""Faults at random moments of runs with workers on other machines: kills of workers, of their server (which is started again,
mostly with its store) and of the run itself (which is gone on with), workers that stop for a while, and cables that are cut, one
way too. After each run its report, its trials and its results are those of a run alone.

    kills.py --bakeoff FILE --server FILE --folder DIR --faults N [--faster K] [--seed N]

Cuts and stops last 1 to 90 s, or K times less.
"""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import experiment
import network
import results

WORKERS = ("one", "two")
RUN = "run"
# A session that takes longer does not end by itself.
SESSION_S = 600
CABLES = tuple(f"cable {machine}" for machine in (RUN, *WORKERS))
# Each fault, how often it is drawn, in parts, and what it is about: each of these has one fault at a time.
FAULTS = {
    "a worker killed": (5, WORKERS),
    "a worker stopped for a while": (2, WORKERS),
    "the server killed": (4, ("server",)),
    "the server killed, and its store lost": (1, ("server",)),
    "the run killed": (4, (RUN,)),
    "a cable cut, both ways": (3, CABLES),
    "a cable cut, one way": (3, CABLES),
}


class Stand:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.folder = options.folder
        self.port = network.free_port()
        self.net = (network.Namespaces if network.isolated() else network.Relays)([RUN, *WORKERS], self.port)
        self.server = None
        self.processes = {}
        self.is_over = False
        # The parts of the stand that have a fault at the moment.
        self.struck = set()
        self.lock = threading.Lock()
        self.done = collections.Counter()
        self.failure = None

    def log(self, name):
        return open(f"{self.folder}/{name}.log", "ab")

    def start_server(self):
        self.server = subprocess.Popen(
            [self.options.server, "-js", "-a", self.net.bind(), "-p", str(self.port), "-sd", f"{self.folder}/server"],
            stdout=self.log("server"),
            stderr=subprocess.STDOUT,
        )
        if not network.wait_for("127.0.0.1", self.port):
            self.fail("the server does not start again")

    def fail(self, why):
        self.failure = self.failure or why

    def bakeoff(self, machine, *words, **options):
        """Starts a command of bakeoff on a machine, with folders of its own."""
        home = f"{self.folder}/{machine}"
        os.makedirs(home, exist_ok=True)
        environment = {
            **os.environ,
            "HOME": home,
            "XDG_DATA_HOME": f"{home}/data",
            "BAKEOFF_CACHE_DIR": f"{home}/cache",
            "BAKEOFF_POLICY": "",
        }
        words = self.net.command(machine, [self.options.bakeoff, *words])
        return subprocess.Popen(words, env=environment, **options)

    def address(self, machine):
        return f"nats://{self.net.host(machine)}/kills"

    def with_workers(self):
        """Returns the options of a run with workers: with one core of its own, so that most is done elsewhere."""
        return ["--workers", "1", "--workers", self.address(RUN)]

    def keep_worker(self, name):
        """Has a worker there for as long as the stand is: whoever ends is started again, as a system would do it."""
        while not self.is_over:
            words = ["worker", self.address(name), "--name", name, "--cores", "1", "--verbose"]
            self.processes[name] = self.bakeoff(name, *words, stdout=self.log(name), stderr=subprocess.STDOUT)
            self.processes[name].wait()
            time.sleep(0.5)

    def shorter(self, least, most):
        return self.random.uniform(least, most) / self.options.faster

    def strike(self):
        """Does one fault, unless what it is about has one already, or is not there."""
        fault = self.random.choices(list(FAULTS), [parts for parts, _ in FAULTS.values()])[0]
        about = self.random.choice(FAULTS[fault][1])
        with self.lock:
            if about in self.struck:
                return
            self.struck.add(about)
        strike = getattr(self, fault.split(",")[0].replace(" ", "_"))
        process = self.processes.get(about)
        if about in (RUN, *WORKERS) and (process is None or process.poll() is not None):
            self.struck.discard(about)
            return

        def struck():
            try:
                strike(about, fault)
            except Exception as error:
                self.fail(f"{fault}: {error!r}")
            finally:
                with self.lock:
                    self.struck.discard(about)

        threading.Thread(target=struck, daemon=True).start()
        self.done[fault] += 1

    def a_worker_killed(self, name, _fault):
        self.processes[name].send_signal(signal.SIGKILL)
        time.sleep(self.shorter(0, 5))

    def a_worker_stopped_for_a_while(self, name, _fault):
        process = self.processes[name]
        process.send_signal(signal.SIGSTOP)
        time.sleep(self.shorter(1, 90))
        process.send_signal(signal.SIGCONT)

    def the_server_killed(self, _name, fault):
        self.server.kill()
        self.server.wait()
        time.sleep(self.shorter(0, 20))
        if fault.endswith("lost"):
            shutil.rmtree(f"{self.folder}/server", ignore_errors=True)
        self.start_server()

    def the_run_killed(self, name, _fault):
        self.processes[name].send_signal(signal.SIGKILL)
        time.sleep(1)

    def a_cable_cut(self, name, fault):
        machine = name.split()[1]
        way = "both" if fault.endswith("both ways") else self.random.choice(network.WAYS[1:])
        self.net.cut(machine, way)
        time.sleep(self.shorter(1, 90))
        self.net.heal(machine, way)

    def strikes(self):
        """Strikes at random moments until there were enough faults."""
        while sum(self.done.values()) < self.options.faults and not self.failure:
            time.sleep(self.random.uniform(0.2, 5))
            self.strike()

    def session(self, out, *words):
        """Runs a session, and returns its status and what it said."""
        words = ["run", f"{self.folder}/experiment", "--out", out, "--seed", "7", "--format", "json", *words]
        with open(f"{self.folder}/said", "wb") as said, open(f"{self.folder}/report.json", "wb") as report:
            process = self.bakeoff(RUN, *words, stdout=report, stderr=said)
            self.processes[RUN] = process
            try:
                process.wait(SESSION_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return None, "it does not end"
        with open(f"{self.folder}/said", encoding="utf-8", errors="replace") as said:
            return process.returncode, said.read()

    def whole_run(self, out, *words):
        """Runs the experiment to its end, however often it is killed, and returns its report and the number of sessions."""
        sessions, begun = 0, time.monotonic()
        while not self.failure:
            sessions += 1
            status, said = self.session(out, *words)
            if status in (0, 1, 3):
                with open(f"{self.folder}/report.json", encoding="utf-8") as file:
                    return json.load(file), sessions, said
            # Without its server a run does not begin; it is begun again, as its user would.
            is_without = status == 5 and ("no server of workers answers" in said or "cannot keep tasks" in said)
            if status != -signal.SIGKILL and not is_without:
                self.fail(f"a session ended with {status}:\n{said[-2000:]}")
            if time.monotonic() - begun > 3 * SESSION_S:
                self.fail("a run does not end, however often it is gone on with")
            time.sleep(0.5)
        return None, sessions, ""

    def compare(self, out, report, alone):
        """Fails unless a run is the same as the one alone."""
        before, after = alone["report"], results.of_report(report)
        # The variants first: they say why something is missing elsewhere in the report.
        found = results.difference("variants", before["variants"], after["variants"]) or results.difference("report", before, after)
        if found:
            return self.fail(f"the report is another one: {found}")
        rows, counts = results.trials(out)
        found = results.difference("trials", alone["trials"], rows) or results.difference("results", alone["counts"], counts)
        if found:
            return self.fail(f"the results are other ones: {found}")
        twice = results.counted_twice(out)
        if twice:
            self.fail(f"counted twice: {', '.join(twice)}")

    def remains(self):
        """Returns the processes that are left of bakeoff, which nothing may be."""
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if f"HOME={self.folder}/".encode() in file.read():
                        left.append(pid)
            except OSError:
                pass
        return left

    def campaign(self):
        experiment.write(f"{self.folder}/experiment", self.options.examples)
        report, _, _ = self.whole_run(f"{self.folder}/alone")
        if report is None:
            return
        rows, counts = results.trials(f"{self.folder}/alone")
        alone = {"report": results.of_report(report), "trials": rows, "counts": counts}
        self.start_server()
        for name in WORKERS:
            threading.Thread(target=self.keep_worker, args=(name,), daemon=True).start()
        striking = threading.Thread(target=self.strikes, daemon=True)
        striking.start()
        runs = sessions = 0
        longest = 0.0
        elsewhere = collections.Counter()
        while striking.is_alive() and not self.failure:
            out = f"{self.folder}/results-{runs}"
            begun = time.monotonic()
            report, of_run, _ = self.whole_run(out, *self.with_workers())
            if report is None:
                break
            runs, sessions = runs + 1, sessions + of_run
            longest = max(longest, time.monotonic() - begun)
            for machine in report["cost"].get("machines", []):
                elsewhere["tasks"] += machine["tasks"]
                elsewhere["lost"] += machine["lost"]
            self.compare(out, report, alone)
            if not self.failure:
                shutil.rmtree(out)
            print(f"  {runs} runs, {sum(self.done.values())} faults", flush=True)
        striking.join()
        while self.struck and not self.failure:
            time.sleep(0.2)
        if not self.failure:
            self.all_come_back(alone)
        print(
            f"kills: {sum(self.done.values())} faults in {runs} runs of {sessions} sessions behind {self.net.name}, cuts of "
            f"{1 / self.options.faster:g} to {90 / self.options.faster:g} s, seed {self.options.seed}; "
            f"{elsewhere['tasks']} attempts elsewhere, of which {elsewhere['lost']} were lost; the longest run took {longest:.0f} s"
        )
        for fault, count in sorted(self.done.items()):
            print(f"  {count:4} × {fault}")

    def all_come_back(self, alone):
        """Fails unless both workers do tasks of a run once nothing is broken any more."""
        machines = set()
        for attempt in range(5):
            out = f"{self.folder}/calm-{attempt}"
            report, _, _ = self.whole_run(out, *self.with_workers())
            if report is None:
                return
            self.compare(out, report, alone)
            machines |= {one["machine"] for one in report["cost"].get("machines", []) if one["tasks"] > one["lost"]}
            if machines == set(WORKERS):
                return
            time.sleep(10)
        self.fail(f"only {sorted(machines)} of {sorted(WORKERS)} did tasks again")

    def end(self):
        self.is_over = True
        for process in [self.server, *self.processes.values()]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        until = time.monotonic() + 30
        while (left := self.remains()) and time.monotonic() < until:
            time.sleep(0.2)
        if left:
            self.fail(f"processes are left: {' '.join(left)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("bakeoff", "server", "folder", "examples"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--faults", type=int, required=True)
    parser.add_argument("--faster", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    stand = Stand(options)
    try:
        stand.campaign()
    finally:
        stand.end()
    if stand.failure:
        print(f"kills: FAILED: {stand.failure}")
        sys.exit(1)
    print("kills: every report, trial and result is that of a run alone, nothing counted twice, and nothing is left behind")


if __name__ == "__main__":
    main()
