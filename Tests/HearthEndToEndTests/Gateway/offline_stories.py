"""What a program with Google's own client meets while its machine is offline, story by story.

Usage: offline_stories.py FLAVOUR STEP        FLAVOUR: sync or async

FIRESTORE_EMULATOR_HOST names the gateway's socket. Each step ends with 0 if every answer is as it
should be. The test that starts the steps takes the backend away and gives it back in between.
"""

import asyncio
import inspect
import sys
import threading
import time

from google.api_core import exceptions
from google.cloud import firestore

PROJECT = "demo"
# How soon a refusal comes. Of a few tries one must be so quick: a machine that does other work may be late
# now and then.
REFUSAL_TIME_MAX = 0.1
TRY_COUNT = 5
# What a client takes that tries again by itself; it is not asked a second time.
RETRY_TIME = 2


class Client:
    """The synchronous client, or the asynchronous one on a loop of its own."""

    def __init__(self, flavour):
        self.is_async = flavour == "async"
        if self.is_async:
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
            self.firestore = firestore.AsyncClient(project=PROJECT)
        else:
            self.firestore = firestore.Client(project=PROJECT)

    def do(self, answer):
        """The value of an answer, whichever client gave it."""
        if inspect.isasyncgen(answer) or hasattr(answer, "__aiter__"):

            async def gather():
                return [element async for element in answer]

            return self.loop.run_until_complete(gather())
        if inspect.isawaitable(answer):
            return self.loop.run_until_complete(answer)
        return list(answer) if hasattr(answer, "__next__") else answer

    def document(self, path):
        return self.firestore.document(path)

    def get(self, path):
        return self.do(self.document(path).get())

    def refused(self, error, ask):
        """Makes a call that must be refused at once, each time; returns the error."""
        times = []
        while len(times) < TRY_COUNT:
            began = time.monotonic()
            try:
                self.do(ask())
            except error as raised:
                refusal = raised
            else:
                raise AssertionError("the call was not refused")
            times.append(time.monotonic() - began)
            if times[-1] < REFUSAL_TIME_MAX:
                return refusal
            if times[-1] > RETRY_TIME:
                break
        raise AssertionError(f"refused after {min(times):.3f} s: {refusal}")


def is_pending(snapshot):
    """Whether a write of the document waits for the backend, as its time tells."""
    return snapshot.update_time.nanosecond % 1000 & 1 == 1


def transact(client, path):
    """Adds one to a number in a transaction."""
    reference = client.document(path)
    transaction = client.firestore.transaction()
    if client.is_async:

        @firestore.async_transactional
        async def add(transaction):
            snapshot = await reference.get(transaction=transaction)
            transaction.update(reference, {"n": snapshot.get("n") + 1})

    else:

        @firestore.transactional
        def add(transaction):
            snapshot = reference.get(transaction=transaction)
            transaction.update(reference, {"n": snapshot.get("n") + 1})

    return add(transaction)


def until(holds):
    """Waits for a condition."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.02)


# Before the backend goes.


def whole_batches(client):
    """A listener sees the whole of each batch: there are always two documents, with the batch's number."""
    pairs = (("a", "b"), ("c", "d"))
    whole = client.firestore.collection("whole")
    pictures = []

    def write(number):
        batch = client.firestore.batch()
        for name in pairs[number % 2]:
            batch.set(whole.document(name), {"n": number})
        for name in pairs[(number + 1) % 2]:
            batch.delete(whole.document(name))
        batch.commit()

    def heard(documents, changes, read_time):
        pictures.append([snapshot.get("n") for snapshot in documents])

    write(0)
    watch = firestore.Client(project=PROJECT).collection("whole").on_snapshot(heard)
    for number in range(11):
        if number > 0:
            write(number)
        until(lambda: pictures and pictures[-1] == [number, number])
    watch.unsubscribe()
    torn = [picture for picture in pictures if len(picture) != 2 or len(set(picture)) != 1]
    assert not torn, torn


def prepare(client):
    """Leaves documents in the cache, and a query that is complete there."""
    for name in ("a", "b", "c"):
        result = client.do(client.document(f"rooms/{name}").set({"n": 1}))
        assert result.update_time.nanosecond % 1000 == 0, "a real time bears a mark"
    rooms = client.firestore.collection("rooms")
    assert len(client.do(rooms.stream())) == 3
    snapshot = client.get("rooms/a")
    assert snapshot.get("n") == 1 and not is_pending(snapshot)
    client.do(transact(client, "rooms/c"))
    assert client.get("rooms/c").get("n") == 2


# While the backend is away.


def writes_show(client):
    """A write is answered at once, and reads, queries and counts have it."""
    result = client.do(client.document("rooms/d").set({"n": 4}))
    assert result.update_time.nanosecond % 1000 & 1 == 1, "a promised time bears no mark"
    snapshot = client.get("rooms/d")
    assert snapshot.get("n") == 4 and is_pending(snapshot)
    assert snapshot.create_time == snapshot.update_time == result.update_time
    rooms = client.firestore.collection("rooms")
    found = client.do(rooms.where(filter=firestore.FieldFilter("n", ">", 3)).stream())
    assert [document.id for document in found] == ["d"], found
    assert len(client.do(rooms.stream())) == 4
    assert client.do(rooms.count().get())[0][0].value == 4
    later = client.do(client.document("rooms/d").update({"n": 5}))
    assert later.update_time > result.update_time
    assert client.get("rooms/d").create_time == result.update_time, "the creation has moved"


def conditions_hold(client):
    """What is known to exist is not created again, and what is missing is not updated."""
    client.refused(exceptions.AlreadyExists, lambda: client.document("rooms/a").create({"n": 0}))
    client.do(client.document("rooms/e").create({"n": 1}))
    client.refused(exceptions.AlreadyExists, lambda: client.document("rooms/e").create({"n": 2}))
    client.do(client.document("rooms/e").delete())
    client.refused(exceptions.NotFound, lambda: client.document("rooms/e").update({"n": 2}))
    assert not client.get("rooms/e").exists


def unknown_is_no_absence(client):
    """What nobody ever told of is an error, not an absence."""
    error = client.refused(exceptions.FailedPrecondition, lambda: client.get("rooms/never-seen"))
    assert error.reason == "HEARTH_NOT_CACHED" and error.domain == "hearth", error
    query = client.firestore.collection("halls")
    error = client.refused(exceptions.FailedPrecondition, lambda: query.get())
    assert error.domain == "hearth", error


def transactions_are_refused(client):
    """A transaction needs the backend, and says so at once."""
    # The client rolls back what never began, and hides the refusal behind its own complaint.
    error = client.refused(
        (exceptions.FailedPrecondition, ValueError), lambda: transact(client, "rooms/a"))
    if isinstance(error, ValueError):
        error = error.__context__
    assert error.reason == "HEARTH_OFFLINE" and error.domain == "hearth", error


def full_queue_refuses(client):
    """A queue that has room for one write refuses the next at once, with a status that no client tries again."""
    client.do(client.document("rooms/d").set({"n": 1}))
    error = client.refused(
        exceptions.FailedPrecondition, lambda: client.document("rooms/d").set({"n": 2}))
    assert error.reason == "HEARTH_QUEUE_FULL" and error.domain == "hearth", error


def change(client, path):
    """Reads a document, and writes it if nobody has changed it since."""
    reference = client.document(path)
    snapshot = client.do(reference.get())
    option = client.firestore.write_option(last_update_time=snapshot.update_time)
    client.do(reference.update({"n": snapshot.get("n") + 10}, option=option))


def chained(client):
    """Reads, changes and writes a document twice on what was read."""
    change(client, "rooms/b")
    change(client, "rooms/b")
    assert client.get("rooms/b").get("n") == 21


def pending_twice(client):
    """Makes a document, and reads, changes and writes it twice while it waits."""
    client.do(client.document("rooms/twice").set({"n": 1}))
    change(client, "rooms/twice")
    change(client, "rooms/twice")


def accept(client):
    """Writes a document and says so; what follows may be the end of the daemon."""
    client.do(client.document("rooms/kept").set({"n": 7}))
    print("accepted", flush=True)


def kept(client):
    """The write that was answered before the daemon ended is there."""
    assert client.get("rooms/kept").get("n") == 7


def many(client):
    """A bulk writer's thousand writes are accepted one and all."""
    if client.is_async:  # It has no bulk writer.

        async def write():
            await asyncio.gather(
                *(client.document(f"many/{number:04}").set({"n": number}) for number in range(1000)))

        client.loop.run_until_complete(write())
        return
    failures = []
    writer = client.firestore.bulk_writer()
    writer.on_write_error(lambda failure, _: failures.append(failure) or False)
    for number in range(1000):
        writer.set(client.document(f"many/{number:04}"), {"n": number})
    writer.close()
    assert not failures, failures[:3]


# When the backend is back.


def landed(client):
    """What was accepted is at the backend, in its order, with real times."""
    deadline = time.monotonic() + 30
    while True:
        snapshot = client.get("rooms/kept")
        if not is_pending(snapshot):
            break
        assert time.monotonic() < deadline, "the queue was not drained"
        time.sleep(0.05)
    assert client.get("rooms/b").get("n") == 21
    assert client.get("rooms/d").get("n") == 5
    for name in ("b", "d", "kept"):
        snapshot = client.get(f"rooms/{name}")
        assert snapshot.update_time.nanosecond % 1000 == 0, name
    client.do(transact(client, "rooms/a"))
    assert client.get("rooms/a").get("n") == 2


def listen(client):
    """Prints each event of a listener as it comes, until the input ends."""

    def heard(documents, changes, read_time):
        for change in changes:
            snapshot = change.document
            kind = change.type.name
            pending = kind != "REMOVED" and is_pending(snapshot)
            state = "pending" if pending else "real"
            print(f"{kind} {snapshot.id} {snapshot.to_dict().get('n')} {state}", flush=True)

    watch = firestore.Client(project=PROJECT).collection("rooms").on_snapshot(heard)
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    ended.wait()
    watch.unsubscribe()


def refused_by_backend(client):
    """Writes that the backend refuses while the program waits: one by one, and in one request."""
    client.do(client.document("rooms/there").set({"n": 1}))
    refusals = (
        (exceptions.NotFound, lambda: client.document("rooms/nowhere").update({"n": 1})),
        (exceptions.AlreadyExists, lambda: client.document("rooms/there").create({"n": 2})),
    )
    for error, ask in refusals:
        try:
            client.do(ask())
        except error:
            continue
        raise AssertionError("the write was not refused")
    batch = client.firestore.batch()
    batch.create(client.document("rooms/there"), {"n": 3})
    batch.update(client.document("rooms/nowhere"), {"n": 3})
    response = client.do(
        client.firestore._firestore_api.batch_write(
            request={
                "database": client.firestore._database_string,
                "writes": batch._write_pbs,
            },
            metadata=client.firestore._rpc_metadata,
        )
    )
    assert [status.code for status in response.status] == [6, 5], response.status


def listen_one(client):
    """Prints each state of one document as it comes, until the document is gone."""
    gone = threading.Event()

    def heard(documents, changes, read_time):
        for snapshot in documents:
            state = "pending" if is_pending(snapshot) else "real"
            print(f"{snapshot.id} {snapshot.get('n')} {state}", flush=True)
        if not documents:
            print("gone", flush=True)
            gone.set()

    watch = firestore.Client(project=PROJECT).document("rooms/a").on_snapshot(heard)
    gone.wait()
    watch.unsubscribe()
    assert not watch.is_active, "the watch goes on"


if __name__ == "__main__":
    globals()[sys.argv[2]](Client(sys.argv[1]))
