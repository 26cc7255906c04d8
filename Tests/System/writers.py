"""Programs that write, each in a thread of its own, until somebody stops them."""

import threading


class Writers:
    """Several writers. A subclass says in `begin` how a writer writes, and notes what was accepted."""

    # The exceptions that end a writer: the daemon is gone, or its disk is.
    ends = ()
    # The pause of a writer, so that a test of minutes fills neither its disk nor its queue.
    pause_seconds = 0

    def __init__(self, writers):
        """Starts a writer for each of these, which are the arguments of `begin`."""
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self._write, args=writer) for writer in writers]
        for thread in self.threads:
            thread.start()

    def stop(self):
        """Ends the load; afterwards nobody writes."""
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def begin(self, *writer):
        """A function that writes once, and is told how often the writer has written."""
        raise NotImplementedError

    def _write(self, *writer):
        number = 0
        try:
            write = self.begin(*writer)
            while not self.is_over.is_set():
                write(number)
                number += 1
                self.is_over.wait(self.pause_seconds)
        except self.ends:
            return
