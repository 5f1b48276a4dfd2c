"""The server's configuration that docs/workers.md prints, with another folder, team, machine and passwords, and without TLS.

Usage: permissions.py DOCUMENT FOLDER TEAM MACHINE
"""

import re
import sys

document, folder, team, machine = sys.argv[1:]
text = open(document, encoding="utf-8").read()
block = re.search(r"```text\n(# nats\.conf.*?)```", text, re.S).group(1)
block, removed = re.subn(r"^tls .*\n", "", block, flags=re.M)
assert removed == 1, "the document has no line for TLS"
block = re.sub(r'password: "[^"]*"', "password: secret", block)
for theirs, ours in [("/var/lib/nats", folder), ("graphics", team), ("build-2", machine)]:
    assert theirs in block, f"the document does not have {theirs}"
    block = block.replace(theirs, ours)
print(block)
