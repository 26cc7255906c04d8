"""A guest with a console of his own: a client of the daemon as any other, whose page wants to know everything."""

import http.client
import json
import os
import re
import subprocess
from urllib.parse import quote

# Loaded now, since a guest may not be able to read where Python lies.
"".encode("idna")
DB = quote("demo/(default)", safe="")
INSTANCE = quote("https://demo-default-rtdb.firebaseio.com", safe="")
# What the pages of the console ask, and the streams that they listen to.
QUESTIONS = [
    "session", "overview", "history", "programs", f"queue?db={DB}", f"dead-letters?db={DB}",
    f"dead-letters/causes?db={DB}", f"collections?db={DB}",
    f"documents?db={DB}&collection=crowd&pageSize=500", f"document?db={DB}&path=crowd%2F1",
    f"node?db={INSTANCE}&path=%2Fcrowd", f"node/value?db={INSTANCE}&path=%2Fcrowd"]
STREAMS = [
    "stream/overview", f"stream/documents?db={DB}&collection=crowd",
    f"stream/document?db={DB}&path=crowd%2F1", f"stream/node?db={INSTANCE}&path=%2Fcrowd"]
# What the documents of the crowd hold, which a guest without rights must not be told.
SECRET = b"x" * 100
# Streams of one page that nobody reads, and questions before they begin anew.
STREAM_COUNT, ROUND_COUNT = 12, 20


class Console:
    """`hearth console` of the user that runs this process, let in by its file."""

    def __init__(self, place):
        environment = dict(
            os.environ, HEARTH_SOCKET=place.client, XDG_RUNTIME_DIR=place.console_folder(os.geteuid()))
        self.process = subprocess.Popen(
            [os.path.abspath(place.daemon.hearth), "console", "--json", "--no-browser"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/")
        line = self.process.stdout.readline()
        if not line:
            self.end()
            raise ConnectionError("hearth console told nothing")
        told = json.loads(line)
        self.address = told["address"].split("//")[1]
        with open(told["file"]) as file:
            secret = re.search(r'name="secret" value="([^"]+)"', file.read()).group(1)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        entry = self.connect()
        entry.request("POST", "/enter", f"secret={quote(secret)}", form)
        answer = entry.getresponse()
        answer.read()
        self.cookie = (answer.getheader("Set-Cookie") or "").split(";")[0]
        if not self.cookie:
            self.end()
            raise ConnectionError(f"the console let nobody in: {answer.status}")

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=10)

    def ask(self, connection, question):
        """Asks, and does not wait for the answer."""
        connection.request("GET", "/api/" + question, headers={"Cookie": self.cookie})

    def end(self):
        self.process.kill()
        self.process.wait()


def consoles(place):
    """A console of the guest's own, whose pages ask for all at once and leave their streams unread."""
    console = Console(place)
    try:
        while True:
            streams = [console.connect() for _ in range(STREAM_COUNT)]
            for number, stream in enumerate(streams):
                console.ask(stream, STREAMS[number % len(STREAMS)])
            pages = [console.connect() for _ in QUESTIONS]
            for _ in range(ROUND_COUNT):
                for page, question in zip(pages, QUESTIONS):
                    console.ask(page, question)
                for page, question in zip(pages, QUESTIONS):
                    if SECRET in page.getresponse().read():
                        place.betray(f"a console told a guest of {question}")
            for connection in streams + pages:
                connection.close()
    except http.client.HTTPException as failure:
        raise ConnectionError(str(failure)) from failure
    finally:
        console.end()


ATTACKS = {"consoles": consoles}
