"""What is checked of a console's door: the port, the file that lets a browser in, and who opens the file."""

import os
import pwd
import re
import subprocess

from consoling import GUEST
from daemon import await_true


def ports(stage):
    """The daemon listens at no port, and the console at one of the loopback alone."""
    site = stage.site
    assert ports_of(site.processes["daemon"].pid) == [], "the daemon has a port"
    port = int(stage.address.rsplit(":", 1)[1])
    assert ports_of(site.processes["console"].pid) == [f"0100007F:{port:04X}"]


def ports_of(pid):
    """Where a process listens, as the kernel writes addresses and ports."""
    sockets = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
        except FileNotFoundError:
            continue  # The process has closed it.
    found = []
    for table in (f"/proc/{pid}/net/{name}" for name in ("tcp", "tcp6")):
        if not os.path.exists(table):
            continue
        with open(table) as file:
            for words in map(str.split, file.readlines()[1:]):
                if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                    found.append(words[1])
    return sorted(found)


def opening(stage):
    """A browser is asked to open a file that its owner alone reads, never by root; the secret stands in no command line."""
    site, is_root = stage.site, os.geteuid() == 0
    opener = make_opener(site)
    entry, _ = site.console("opened", user=GUEST if is_root else None, opener=opener)
    path = entry.removeprefix("file://")
    await_true(lambda: read(os.path.join(site.folder, "opened", "asked")) == path, "a browser is asked to open the file, and no more")
    status = os.stat(path)
    assert status.st_mode & 0o777 == 0o600, oct(status.st_mode)
    assert status.st_uid == (pwd.getpwnam(GUEST).pw_uid if is_root else os.geteuid()), status.st_uid
    secret = re.search(r'name="secret" value="([^"]+)"', read(path))[1]
    lines = command_lines()
    assert any("console" in line for line in lines), "no command line was seen at all"
    assert not any(secret in line for line in lines), "the secret stands in a command line"
    site.stop("opened")
    assert not os.path.exists(path), "the file outlives its console"
    if is_root:
        told_by_root(site, opener)


def told_by_root(site, opener):
    folder = site.runtime_folder("told")
    site.run("told", [site.hearth, "console"], env=site.environment(folder, opener=opener), stdout=subprocess.PIPE, cwd="/")
    line = site.processes["told"].stdout.readline().decode()
    assert re.search(r"Open /\S+/console-\d+\.html in a browser, once", line), line
    assert not os.path.exists(os.path.join(folder, "asked")), "root has opened a browser"
    site.stop("told")


def make_opener(site):
    """A folder with a program in the place of the desktop's, which notes what it is asked to open."""
    folder = os.path.join(site.folder, "opener")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "xdg-open")
    with open(path, "w") as file:
        file.write('#!/bin/sh\nprintf %s "$*" >"$XDG_RUNTIME_DIR/asked"\n')
    for made in (folder, path):
        os.chmod(made, 0o755)
    return folder


def command_lines():
    """The command line of every process."""
    return [read(f"/proc/{pid}/cmdline").replace("\0", " ") for pid in os.listdir("/proc") if pid.isdigit()]


def read(path):
    """A file's text; empty if there is none."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


CHECKS = [ports, opening]
