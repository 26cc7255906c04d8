"""A line to a Unix socket on which every byte takes its time, as over a long way."""

import asyncio
import threading


class DelayedLine:
    """Forwards each connection at `path` to `target`; there and back takes `seconds` more."""

    def __init__(self, path, target, seconds):
        self.path, self.target, self.delay = path, target, seconds / 2
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_unix_server(self.serve, self.path))
        ready.set()
        self.loop.run_forever()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    async def serve(self, reader, writer):
        far_reader, far_writer = await asyncio.open_unix_connection(self.target)
        await asyncio.gather(self.carry(reader, far_writer), self.carry(far_reader, writer))

    async def carry(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                self.loop.call_later(self.delay, writer.write, data)
        except ConnectionError:
            pass
        self.loop.call_later(self.delay, writer.close)
