"""Puts the same load on any Firestore emulator and tells what it cost.

The requests are made before the clock starts and sent as bytes, by several processes where the
throughput is asked for, so that the server is what is measured. CPU is the server's own, user and
system, from /proc.

    load.py [--documents N] NAME PORT COMMAND...

Starts the command, which is to serve at the port of 127.0.0.1, prints one JSON object, and ends it.
"""

import argparse
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import threading
import time

import grpc
from google.cloud.firestore_v1.types import document, firestore, query, write

SERVICE = "/google.firestore.v1.Firestore/"
PROJECT = "demo-bench"
DATABASE = f"projects/{PROJECT}/databases/(default)"
ROOT = f"{DATABASE}/documents"
OWNER = (("authorization", "Bearer owner"), ("google-cloud-resource-prefix", DATABASE))
TICK = os.sysconf("SC_CLK_TCK")


def channel(host):
    return grpc.insecure_channel(
        host, options=[("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
    )


def unary(to, method):
    return to.unary_unary(SERVICE + method, request_serializer=None, response_deserializer=None)


def cpu(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024


def fields(number):
    pb = document.Document.pb(document.Document())
    pb.fields["number"].integer_value = number
    pb.fields["bucket"].integer_value = number % 100
    pb.fields["name"].string_value = f"document number {number} of the benchmark"
    pb.fields["ratio"].double_value = number / 7
    pb.fields["isEven"].boolean_value = number % 2 == 0
    for tag in range(3):
        pb.fields["tags"].array_value.values.add().string_value = f"tag{(number + tag) % 20}"
    pb.fields["text"].string_value = "x" * 120
    return pb


def set_write(collection, name, number):
    pb = write.Write.pb(write.Write())
    pb.update.CopyFrom(fields(number))
    pb.update.name = f"{ROOT}/{collection}/{name}"
    return pb


def commit(writes):
    pb = firestore.CommitRequest.pb(firestore.CommitRequest())
    pb.database = DATABASE
    pb.writes.extend(writes)
    return pb.SerializeToString()


def get_request(number):
    pb = firestore.GetDocumentRequest.pb(firestore.GetDocumentRequest())
    pb.name = f"{ROOT}/load/d{number:06}"
    return pb.SerializeToString()


def query_request(bucket):
    pb = firestore.RunQueryRequest.pb(firestore.RunQueryRequest())
    pb.parent = ROOT
    pb.structured_query.from_.add().collection_id = "small"
    field_filter = pb.structured_query.where.field_filter
    field_filter.field.field_path = "bucket"
    field_filter.op = query.StructuredQuery.FieldFilter.Operator.EQUAL
    field_filter.value.integer_value = bucket
    return pb.SerializeToString()


class Meter:
    """Wall time and the server's CPU over a stretch of operations."""

    def __init__(self, pid):
        self.pid = pid

    def measure(self, count, body):
        before, started = cpu(self.pid), time.perf_counter()
        body()
        wall = time.perf_counter() - started
        spent = cpu(self.pid) - before
        return {
            "count": count,
            "wall_us": round(wall / count * 1e6, 1),
            "cpu_us": round(spent / count * 1e6, 1),
        }


def one_by_one(call, requests, latencies=None):
    for request in requests:
        started = time.perf_counter()
        call(request, metadata=OWNER)
        if latencies is not None:
            latencies.append(time.perf_counter() - started)


def worker(host, method, requests, gate, done):
    with channel(host) as to:
        call = unary(to, method)
        call(requests[0], metadata=OWNER)
        gate.wait()
        one_by_one(call, requests)
        done.put(1)


def crowd(host, method, batches, meter):
    """Several processes at once, each with one call under way."""
    context = multiprocessing.get_context("fork")
    gate, done = context.Barrier(len(batches) + 1), context.Queue()
    processes = [
        context.Process(target=worker, args=(host, method, batch, gate, done)) for batch in batches
    ]
    for process in processes:
        process.start()
    gate.wait()
    result = meter.measure(
        sum(len(batch) for batch in batches), lambda: [done.get() for _ in processes]
    )
    for process in processes:
        process.join()
    return result


def load(call, collection, start, end, size=400):
    for first in range(start, end, size):
        last = min(first + size, end)
        call(
            commit([set_write(collection, f"d{n:06}", n) for n in range(first, last)]),
            metadata=OWNER,
        )


def listen(to, meter, call, count):
    """Writes one after the other, each when the listener has heard of the one before."""
    heard = threading.Semaphore(0)
    first = firestore.ListenRequest.pb(firestore.ListenRequest())
    first.database = DATABASE
    first.add_target.target_id = 2
    first.add_target.documents.documents.append(f"{ROOT}/heard/one")
    ended = threading.Event()

    def requests():
        yield first.SerializeToString()
        ended.wait()

    stream = to.stream_stream(
        SERVICE + "Listen", request_serializer=None, response_deserializer=None
    )(requests(), metadata=OWNER)

    def read():
        try:
            for message in stream:
                change = firestore.ListenResponse.pb(firestore.ListenResponse())
                change.MergeFromString(message)
                if change.HasField("document_change") or (
                    change.target_change.target_change_type == 3
                ):
                    heard.release()
        except grpc.RpcError:
            pass

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    heard.acquire()
    latencies = []

    def write_all():
        for number in range(count):
            request = commit([set_write("heard", "one", number)])
            # What came for the write before, more than once from some, does not count.
            while heard.acquire(blocking=False):
                pass
            started = time.perf_counter()
            call(request, metadata=OWNER)
            heard.acquire(timeout=10)
            latencies.append(time.perf_counter() - started)

    result = meter.measure(count, write_all)
    ended.set()
    stream.cancel()
    result["p50_us"] = round(statistics.median(latencies) * 1e6, 1)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("port", type=int)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--count", type=int, default=3_000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.host = f"127.0.0.1:{options.port}"
    started = time.perf_counter()
    server = subprocess.Popen(options.command, stdout=subprocess.DEVNULL)
    try:
        await_listener(options.port)
        ready = time.perf_counter() - started
        print(json.dumps(measure(options, server.pid, ready)))
    finally:
        server.kill()
        server.wait()


def await_listener(port):
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.001)


def measure(options, pid, ready):
    options.pid = pid
    meter, count = Meter(pid), options.count
    with channel(options.host) as to:
        commits, gets = unary(to, "Commit"), unary(to, "GetDocument")
        commits(commit([]), metadata=OWNER, timeout=30, wait_for_ready=True)
        result = {
            "name": options.name,
            "ready_ms": round(ready * 1e3, 1),
            "start_cpu_ms": round(cpu(pid) * 1e3),
            "rss_empty_mb": round(resident(pid), 1),
        }
        ten_thousand = min(10_000, options.documents)
        # So many calls let a machine with a compiler of its own get warm.
        load(commits, "warm", 0, 2_000)
        one_by_one(gets, [get_request(0)] * 0)
        for number in range(2_000):
            commits(commit([set_write("warm", f"w{number % 50}", number)]), metadata=OWNER)
        result["bulk"] = meter.measure(
            ten_thousand, lambda: load(commits, "small", 0, ten_thousand)
        )
        result["rss_10k_mb"] = round(resident(options.pid), 1)
        load(commits, "load", 0, 1_000)
        requests = [get_request(number % 1_000) for number in range(count)]
        one_by_one(gets, requests[:2_000])
        latencies = []
        result["get"] = meter.measure(count, lambda: one_by_one(gets, requests, latencies))
        result["get"]["p50_us"] = round(statistics.median(latencies) * 1e6, 1)
        result["get_crowd"] = crowd(
            options.host, "GetDocument", [requests] * options.processes, meter
        )
        sets = [commit([set_write("load", f"s{n % 500}", n)]) for n in range(count)]
        latencies = []
        result["set"] = meter.measure(count, lambda: one_by_one(commits, sets, latencies))
        result["set"]["p50_us"] = round(statistics.median(latencies) * 1e6, 1)
        result["set_crowd"] = crowd(
            options.host,
            "Commit",
            [
                [commit([set_write("load", f"p{p}-{n % 500}", n)]) for n in range(count)]
                for p in range(options.processes)
            ],
            meter,
        )
        run = to.unary_stream(
            SERVICE + "RunQuery", request_serializer=None, response_deserializer=None
        )
        queries = [query_request(number % 100) for number in range(100)]

        def run_all():
            for request in queries:
                found = sum(1 for _ in run(request, metadata=OWNER))
                assert found >= ten_thousand // 100, found

        run_all()
        result["query"] = meter.measure(len(queries), run_all)
        result["listen"] = listen(to, meter, commits, min(count, 1_000))
        if options.documents > ten_thousand:
            rest = options.documents - ten_thousand
            result["bulk_rest"] = meter.measure(
                rest, lambda: load(commits, "large", 0, rest)
            )
            result["rss_all_mb"] = round(resident(options.pid), 1)
    return result


if __name__ == "__main__":
    main()
