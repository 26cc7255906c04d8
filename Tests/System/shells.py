"""Interactive shells on a terminal of their own, for a test of what the Tab key does."""

import os
import pty
import select
import shutil
import signal
import subprocess
import time

# Each script makes the shell ready, with a key (Ctrl-X Ctrl-T) that writes the line which is being typed to a file.
# `mv` comes last: the file is there whole or not at all.
BASH = r"""
bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'
source <(hearth completions bash)
source <({hearthd} --generate-completion-script bash)
bind -x '"\C-x\C-t": printf %s "$READLINE_LINE" >line.part; mv line.part line; READLINE_LINE='
touch ready
"""
ZSH = r"""
autoload -Uz compinit; compinit -u -d {folder}/zcompdump
unsetopt beep automenu listbeep; bindkey -e; LISTMAX=10000
# Tab would run a command that stands in the line, as zsh does by itself for every command.
bindkey '^I' complete-word
source <(hearth completions zsh)
source <({hearthd} --generate-completion-script zsh)
dump() {{ print -rn -- "$BUFFER" >line.part; mv line.part line; BUFFER= }}
zle -N dump; bindkey '^X^T' dump
touch ready
"""
FISH = r"""
set -g fish_greeting; set -g fish_autosuggestion_enabled 0
hearth completions fish | source
{hearthd} --generate-completion-script fish | source
bind \cx\ct 'commandline | string collect >line.part; mv line.part line; commandline ""'
touch ready
"""
STARTS = {
    "bash": (["--noprofile", "--norc", "-i"], BASH, "source {script}"),
    "zsh": (["-f", "-i"], ZSH, "source {script}"),
    "fish": (["--no-config", "-i"], FISH, "source {script}"),
}
DUMP = "\x18\x14"
# A command that prints its arguments, each ended by a null byte, in the place of `hearth`.
STANDINS = {
    "bash": "hearth() {{ printf '%s\\0' \"$@\"; }}\n{line}",
    "zsh": "hearth() {{ printf '%s\\0' \"$@\"; }}\n{line}",
    "fish": "function hearth; printf '%s\\0' $argv; end\n{line}",
}


class Shell:
    """One interactive shell, in a folder of its own, in which nothing but the shell writes."""

    def __init__(self, name, folder, binaries, socket):
        self.name = name
        self.folder = os.path.join(folder, name)
        self.hearthd = os.path.join(binaries, "hearthd")
        os.mkdir(self.folder)
        self.environment = {
            "PATH": f"{binaries}:/usr/bin:/bin", "HOME": self.folder, "XDG_CONFIG_HOME": self.folder,
            "XDG_DATA_HOME": self.folder, "HEARTH_SOCKET": socket, "LC_ALL": "C.UTF-8", "TERM": "xterm",
            "PS1": "> ", "ENV": "/dev/null",
        }
        words, script, source = STARTS[name]
        path = os.path.join(folder, name + ".start")
        with open(path, "w") as file:
            file.write(script.format(hearthd=self.hearthd, folder=self.folder))
        self.process, self.terminal = None, None
        self.output = b""
        self.start([shutil.which(name), *words])
        self.send(source.format(script=path) + "\r")
        self.await_file("ready")
        # The shell reads keys only from its next prompt on; what comes before is lost or is text.
        end = time.monotonic() + 60
        while not self.found("line", 0.5) and time.monotonic() < end:
            self.send("\x15" + DUMP)
        self.take("line")

    def start(self, command):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(self.folder)
            os.execve(command[0], command, self.environment)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def found(self, name, seconds):
        """Whether a file of the shell's folder is there in time."""
        path = os.path.join(self.folder, name)
        end = time.monotonic() + seconds
        while not os.path.exists(path) and time.monotonic() < end:
            self.drain()
        return os.path.exists(path)

    def take(self, name):
        """What a file of the shell's folder holds; the file is removed."""
        path = os.path.join(self.folder, name)
        with open(path) as file:
            text = file.read()
        os.remove(path)
        return text

    def await_file(self, name):
        if not self.found(name, 60):
            raise AssertionError(f"{self.name} never wrote {name}: {self.output[-600:]!r}")
        return self.take(name)

    def drain(self):
        """Reads what the shell shows, or it would stand still at last; waits a moment for it."""
        if select.select([self.terminal], [], [], 0.02)[0]:
            self.output += os.read(self.terminal, 65_536)

    def completed(self, typed, tabs=1):
        """The line after a text was typed and Tab was pressed."""
        self.send(typed + "\t" * tabs + DUMP)
        return self.await_file("line").rstrip("\n")

    def words(self, line):
        """The arguments that a command gets by a line, as the shell reads it."""
        script = STANDINS[self.name].format(line=line)
        flags = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[self.name]
        found = subprocess.run(
            [shutil.which(self.name), *flags, "-c", script], cwd=self.folder, env=self.environment,
            capture_output=True, timeout=30)
        return found.stdout.decode().split("\0")[:-1]

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)
