"""Somebody at a server of NATS who is no bakeoff: a worker that announces what it likes, or whoever made the streams first.

    impostor.py HOST:PORT TEAM announce NAME VERSION ENGINE    facts of a worker, until it is killed
    impostor.py HOST:PORT TEAM foreign NAME VERSION            an announcement of another form, until it is killed
    impostor.py HOST:PORT TEAM streams BYTES BYTES BYTES       the streams of tasks, answers and contents, of so many bytes
"""

import json
import socket
import sys
import time


class Server:
    """A connection, by the few words of the protocol that are needed."""

    def __init__(self, address):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=10)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.say('CONNECT {"verbose":false,"lang":"python","version":"1","protocol":0}\r\nSUB answers 1\r\n')

    def say(self, text, content=b""):
        self.socket.sendall(text.encode() + content)

    def publish(self, subject, content, reply=""):
        self.say(f"PUB {subject} {reply} {len(content)}\r\n", content + b"\r\n")

    def request(self, subject, value):
        self.publish(subject, json.dumps(value).encode(), "answers")
        while True:
            line = self.file.readline().split()
            if line[:1] == [b"PING"]:
                self.say("PONG\r\n")
            if line[:1] == [b"MSG"]:
                return json.loads(self.file.read(int(line[-1]) + 2))


def text(value):
    """Returns a text as postcard encodes it."""
    data = value.encode()
    assert len(data) < 128
    return bytes([len(data)]) + data


def facts(version, engine):
    return text(version) + text(engine) + text("full") + text("a processor") + bytes([2, 7, 0]) + text("")


def make_streams(server, team, sizes):
    tasks, answers, contents = sizes
    common = {"storage": "file", "num_replicas": 1, "max_consumers": -1, "max_msgs": -1, "max_msgs_per_subject": -1}
    bucket = f"bakeoff-{team}"
    streams = [
        {"name": f"{bucket}-tasks", "subjects": [f"bakeoff.{team}.task.*"], "retention": "workqueue", "max_bytes": tasks},
        {"name": f"{bucket}-answers", "subjects": [f"bakeoff.{team}.answer.*.*"], "max_bytes": answers},
        {
            "name": f"OBJ_{bucket}",
            "subjects": [f"$O.{bucket}.C.>", f"$O.{bucket}.M.>"],
            "max_bytes": contents,
            "allow_rollup_hdrs": True,
            "allow_direct": True,
        },
    ]
    for stream in streams:
        made = server.request(f"$JS.API.STREAM.CREATE.{stream['name']}", {**common, "discard": "new", **stream})
        if "error" in made:
            sys.exit(f"{stream['name']}: {made['error']}")


def main():
    address, team, what, *rest = sys.argv[1:]
    server = Server(address)
    if what == "streams":
        return make_streams(server, team, [int(size) for size in rest])
    name, version, *engine = rest
    announced = facts(version, *engine) if what == "announce" else text(version) + b"\x01?"
    while True:
        server.publish(f"bakeoff.{team}.worker.{name}", announced)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
