"""A recorder between a daemon and its backend: gRPC calls pass through it message by message, and every message is noted."""

import threading
from concurrent import futures

import grpc

# Headers that belong to one connection, or that gRPC makes itself.
OWN_HEADERS = ("user-agent", "te", "content-type", "grpc-accept-encoding", "accept-encoding", "host", "grpc-timeout")


class Record:
    """What passed, in one order: messages of calls, and what a script notes in between."""

    def __init__(self):
        self.lock = threading.Lock()
        self.entries = []

    def note(self, *entry):
        with self.lock:
            self.entries.append(entry)

    def since(self, count):
        """The entries after the first `count`."""
        with self.lock:
            return self.entries[count:]


class Wiretap(grpc.GenericRpcHandler):
    """A server that hands every call on to a backend. `cut` breaks the calls, and refuses others until `mend`."""

    def __init__(self, backend, record):
        self.record, self.lock = record, threading.Lock()
        self.last_call, self.open, self.is_down = 0, set(), False
        self.channel = grpc.insecure_channel(backend, options=[("grpc.max_receive_message_length", -1)])
        self.server = grpc.server(futures.ThreadPoolExecutor(64), options=[("grpc.max_receive_message_length", -1)])
        self.server.add_generic_rpc_handlers([self])
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def end(self):
        self.server.stop(0).wait()
        self.channel.close()

    def cut(self):
        """Breaks all calls. Nothing passes any more when this returns."""
        with self.lock:
            self.is_down = True
            calls = list(self.open)
        for call in calls:
            call.cancel()

    def mend(self):
        with self.lock:
            self.is_down = False

    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(lambda requests, context: self.carry(details.method, requests, context))

    def carry(self, method, requests, context):
        with self.lock:
            self.last_call += 1
            number, is_down = self.last_call, self.is_down
        if is_down:
            context.abort(grpc.StatusCode.UNAVAILABLE, "the wire is cut")
        headers = [(name, value) for name, value in context.invocation_metadata() if name not in OWN_HEADERS]
        call = self.channel.stream_stream(method)(self.noted(number, method, requests), metadata=headers)
        with self.lock:
            self.open.add(call)
        context.add_callback(call.cancel)
        try:
            for answer in call:
                with self.lock:
                    if self.is_down:
                        break
                    self.record.note("answer", number, method, answer)
                yield answer
        except grpc.RpcError as error:
            if not self.is_down:
                context.abort(error.code(), error.details())
        finally:
            with self.lock:
                self.open.discard(call)
            self.record.note("end", number, method, b"")
        if self.is_down:
            context.abort(grpc.StatusCode.UNAVAILABLE, "the wire is cut")

    def noted(self, number, method, requests):
        for request in requests:
            self.record.note("request", number, method, request)
            yield request
