"""Runs an experiment on another machine and here, whose reports are the same but for times; and kills what takes part in such a
command, or cuts its cable, at a dozen places: nothing of it is left on either side.

A folder of a process that was killed itself is removed by the next command of its user, which is started after each fault.
"""

import argparse
import glob
import json
import os
import pathlib
import shutil
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "workers-stand"))
import experiment  # noqa: E402
import machine as machines  # noqa: E402
import results  # noqa: E402

# The most seconds until something happens that takes a moment, on a busy machine; with a cable that was cut, until both sides
# have taken the other one for gone.
PATIENCE = 120
CUT_PATIENCE = 240


def fail(about, why):
    raise SystemExit(f"on: {about}: {why}")


def wait_for(about, what, happens, patience=PATIENCE):
    end = time.monotonic() + patience
    while True:
        found = happens()
        if found:
            return found
        if time.monotonic() > end:
            fail(about, f"{what}: this did not happen in {patience} s")
        time.sleep(0.005)


def names_in(folder):
    """Returns the names in a folder that somebody may remove meanwhile."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def write_experiment(machine, budget):
    """Writes an experiment of two functions that pass and one that does not."""
    examples = machine.options.examples
    sources = {name: experiment.source_of(examples, name) for name in ("heap", "sort")}
    sources["wrong"] = experiment.with_body(sources["heap"], "Vec::new()")
    tables = f'[measure]\nbudget = "{budget}"\nprecision = 0.0001\n'
    experiment.write_experiment(f"{machine.work}/x", examples, "elsewhere", "1_000, 20_000", tables, sources)


def finish(machine, about, command, wanted):
    status = command.wait(PATIENCE)
    if status not in wanted:
        fail(about, f"it ended with {status}: {machine.printed('stderr')[-2000:]}")
    return status


def compare_reports(machine):
    """The same experiment here and there."""
    write_experiment(machine, "3 s")
    reports, trials = {}, {}
    for on in (False, True):
        about = "there" if on else "here"
        shutil.rmtree(f"{machine.work}/x/.bakeoff", ignore_errors=True)
        finish(machine, about, machine.command("run", "x", "--seed", "7", "--format", "json", on=on), (0, 1, 3))
        reports[on] = json.loads(machine.printed("stdout"))
        folder = f"{machine.work}/x/.bakeoff/elsewhere"
        kept = json.loads(pathlib.Path(f"{folder}/report.json").read_text(encoding="utf-8"))
        if kept != reports[on]:
            fail(about, "the report that is kept is another one than was printed")
        trials[on] = results.trials(folder)[0]
    different = results.difference("report", *(results.of_report(reports[on]) for on in (False, True)))
    different = different or results.difference("trials", trials[False], trials[True])
    if different:
        fail("the report of another machine", different)
    names = sorted(variant["id"] for variant in reports[True]["variants"])
    if names != ["heap", "sort", "wrong"]:
        fail("the report", f"its variants are {names}")
    print(f"on: the same report here and there, and the same {len(trials[True])} trials")


class Fault:
    """A command on the other machine, which is struck once it has come to a place."""

    def __init__(self, machine, about):
        self.machine, self.about = machine, about
        self.result = f"{machine.work}/x/.bakeoff"
        shutil.rmtree(self.result, ignore_errors=True)

    def until(self, what, happens, patience=PATIENCE):
        return wait_for(self.about, what, happens, patience)

    def start(self, *words):
        self.command = self.machine.command(*(words or ("run", "x")))

    def at_work(self):
        """Waits until the run there keeps results, and measures."""
        self.until("results are kept there", lambda: glob.glob(f"{self.machine.far}/tmp/*/work/x/.bakeoff/elsewhere/events.jsonl"))

    def of_near_end(self):
        """The processes of this side: the command and ssh."""
        here = self.machine.near
        return [
            number
            for number, (_, program, _, words) in machines.processes().items()
            if number == self.command.pid or here in words or program == self.machine.options.ssh and here in words
        ]

    def ssh(self):
        return self.until(
            "ssh runs",
            lambda: [
                number
                for number, (_, program, _, words) in machines.processes().items()
                if program == os.path.realpath(self.machine.options.ssh) and self.machine.near in words
            ],
        )

    def of_far_end(self, words=None):
        """The processes of that side but for the server's: those in its folders, and those of the program that it keeps."""
        return [
            number
            for number, (_, program, place, line) in machines.processes().items()
            if (f"{place}/".startswith(f"{self.machine.far}/tmp/") or program.startswith(f"{self.machine.far}/home/"))
            and (words is None or words in line)
        ]

    def strike(self, numbers, with_signal=signal.SIGKILL):
        if not numbers:
            fail(self.about, "there is no such process")
        for number in numbers:
            try:
                os.kill(number, with_signal)
            except ProcessLookupError:
                pass

    def ends(self, statuses=None, patience=PATIENCE):
        """Waits for the end of both sides, and returns the status here."""
        self.until("the command ends here", lambda: self.command.poll() is not None, patience)
        status = self.command.returncode
        if statuses is not None and status not in statuses:
            fail(self.about, f"it ended with {status}: {self.machine.printed('stderr')[-2000:]}")
        self.until("no process is left here", lambda: not self.of_near_end(), patience)
        self.until("no process is left there", lambda: not self.of_far_end(), patience)
        return status

    def brought_nothing(self):
        if os.path.exists(self.result):
            fail(self.about, "something came back")

    def clean(self):
        """Starts the next command, after which nothing of the struck one is left."""
        finish(self.machine, f"{self.about}: the next command", self.machine.command("build", "x/approaches/sort.rs", *BUILD), (0,))
        for side in (self.machine.near, self.machine.far):
            left = os.listdir(f"{side}/tmp")
            if left:
                fail(self.about, f"left in {side}/tmp: {left}")
        kept = os.listdir(f"{self.machine.far}/home/.cache/bakeoff-programs")
        if len(kept) != 1:
            fail(self.about, f"programs that are kept there: {kept}")
        left = self.of_near_end() + self.of_far_end()
        if left:
            fail(self.about, f"processes that are left: {left}")
        print(f"on: {self.about}: nothing is left")


BUILD = ("--wit", "x/wit", "--call", "top-k", "-o", "x/sort.wasm")


def while_the_program_goes_there(machine):
    fault = Fault(machine, "this end is killed while the program goes there")
    shutil.rmtree(f"{machine.far}/home/.cache/bakeoff-programs", ignore_errors=True)
    fault.start()
    fault.until("the program goes there", lambda: glob.glob(f"{machine.far}/home/.cache/bakeoff-programs/new.*"))
    fault.strike([fault.command.pid])
    fault.ends()
    fault.brought_nothing()
    fault.clean()


def while_files_go_there(machine):
    fault = Fault(machine, "this end is killed while files go there")
    with open(f"{machine.work}/large", "wb") as large:
        large.truncate(700 << 20)
    fault.start("--on-send", "large", "run", "x")
    # A file that is not whole yet has another name.
    fault.until("files go there", lambda: any(map(names_in, glob.glob(f"{machine.far}/tmp/*/work"))))
    fault.strike([fault.command.pid])
    fault.ends()
    os.remove(f"{machine.work}/large")
    fault.brought_nothing()
    fault.clean()


def at_work(about, strike, statuses, brings=False):
    """A fault while the run there measures."""

    def happen(machine):
        fault = Fault(machine, about)
        fault.start()
        fault.at_work()
        strike(fault)
        fault.ends(statuses)
        if not brings:
            fault.brought_nothing()
        elif not os.path.exists(fault.result):
            fail(about, "what was finished did not come back")
        fault.clean()

    return happen


def the_machine_is_gone(fault):
    fault.machine.stop()
    fault.until("nothing is left there", lambda: not fault.of_far_end())
    fault.machine.start()


def while_results_come(machine):
    fault = Fault(machine, "this end is killed while results come back")
    write_experiment(machine, "1 s")
    fault.start()
    fault.at_work()
    # It takes nothing any more, and the command there ends.
    ssh = fault.ssh()
    fault.strike(ssh, signal.SIGSTOP)
    fault.until("the command ends there", lambda: not fault.of_far_end(" run x"))
    fault.strike([fault.command.pid])
    fault.ends()
    fault.brought_nothing()
    write_experiment(machine, "200 s")
    fault.clean()


def the_cable_is_cut(machine):
    fault = Fault(machine, "the cable is cut")
    fault.start()
    fault.at_work()
    machine.cut()
    fault.ends((5,), CUT_PATIENCE)
    fault.brought_nothing()
    # What was written there is gone without a next command: its end was there all the time.
    left = os.listdir(f"{machine.far}/tmp")
    if left:
        fail(fault.about, f"left there: {left}")
    print("on: the cable is cut: nothing is left")


FAULTS = [
    while_the_program_goes_there,
    while_files_go_there,
    while_results_come,
    at_work("this end is killed", lambda fault: fault.strike([fault.command.pid]), (-9,)),
    at_work("this end is terminated", lambda fault: fault.strike([fault.command.pid], signal.SIGTERM), (-15, 143)),
    at_work("this end is interrupted", lambda fault: fault.strike([fault.command.pid], signal.SIGINT), (130,), brings=True),
    at_work("ssh is killed", lambda fault: fault.strike(fault.ssh()), (5,)),
    at_work("the far end is killed", lambda fault: fault.strike(fault.of_far_end("far-end")), (5,)),
    at_work("the command there is killed", lambda fault: fault.strike(fault.of_far_end(" run x")), (5,), brings=True),
    at_work("the connection's last process there is killed", lambda fault: fault.strike(fault.machine.sessions()[-1:]), (5,)),
    at_work("the other machine is gone", the_machine_is_gone, (5,)),
]


def main():
    parser = argparse.ArgumentParser()
    for name in ("bakeoff", "server", "libraries", "folder"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--cables", action="store_true")
    options = parser.parse_args()
    options.ssh = os.path.realpath(shutil.which("ssh"))
    options.examples = os.path.realpath("examples")
    began = time.monotonic()
    machines.prepare(options.folder)
    if options.cables:
        machines.become_root_of_a_machine(options.folder)
    all_machines = [machines.Machine("far", 1, options)]
    cutting = None
    try:
        if options.cables:
            # It takes longest, and most of that is waiting.
            all_machines.append(machines.Machine("farther", 2, options))
            write_experiment(all_machines[1], "200 s")
            failed = []

            def cut():
                try:
                    the_cable_is_cut(all_machines[1])
                except SystemExit as error:
                    failed.append(error)

            cutting = threading.Thread(target=cut, daemon=True)
            cutting.start()
        compare_reports(all_machines[0])
        write_experiment(all_machines[0], "200 s")
        for fault in FAULTS:
            fault(all_machines[0])
        count = len(FAULTS)
        if cutting:
            cutting.join()
            count += 1
            if failed:
                raise failed[0]
        print(f"on: {count} faults, in {time.monotonic() - began:.0f} s")
    finally:
        for one in all_machines:
            one.stop()


main()
