"""An administrator who steers the queue of a daemon that is killed."""

import random
import threading
import time

from programs import WRITE, Worker, wire

LIST = {1: ("after", "varint", False), 2: ("count_max", "varint", False)}
BATCH = {
    1: ("batch_id", "varint", False),
    2: ("state", "varint", False),
    6: ("documents", "string", True),
}
QUEUE_PAGE = {1: ("batches", BATCH, True), 2: ("has_more", "varint", False)}
LETTER_PAGE = {1: ("letters", {1: ("batch", BATCH, False)}, True), 2: ("has_more", "varint", False)}
STEER = {
    1: ("order", "varint", False),
    2: ("batch_ids", "varint", True),
    3: ("writes", WRITE, True),
    4: ("even_if_applied", "varint", False),
}
STEERED = {
    1: ("batches", {1: ("batch_id", "varint", False), 2: ("new_batch_id", "varint", False)}, True)}
K_LIST_QUEUE, K_LIST_LETTERS, K_STEER = 17, 18, 20
E_QUEUE_PAGE, E_LETTER_PAGE, E_STEERED = 139, 140, 143
HOLD, RELEASE, CANCEL, DROP, EDIT, RETRY, RETRY_LETTERS, DROP_LETTERS = range(1, 9)
ORDERS = ["", "hold", "release", "cancel", "drop", "edit", "retry", "retried", "forgotten"]
QUEUED, HELD = 0, 1


class Administrator(Worker):
    """Steers the queue, one order after the other, and writes down how each was answered."""

    def __init__(self, machine, writers, steps, seed):
        super().__init__("administrator", machine, steps)
        self.writers = writers
        self.chance, self.is_letting_go = random.Random(seed), threading.Event()
        self.is_drained, self.queue_text = False, "nothing"
        self.held, self.held_until = None, 0
        self.tally = {}

    def let_go(self):
        """Orders nothing more but what empties the queue."""
        self.is_letting_go.set()

    def work(self):
        self.greet(self.machine.control)
        while not self.is_over.is_set():
            batches = self._list(K_LIST_QUEUE, E_QUEUE_PAGE, QUEUE_PAGE).get("batches", [])
            if self.is_letting_go.is_set():
                self._release_all(batches)
                self._steer(RETRY, [], quiet=True)
                states = [batch.get("state", 0) for batch in batches]
                self.queue_text = f"{len(batches)} batches in states {states[:10]}"
                self.is_drained = not batches
                time.sleep(0.05)
            else:
                self._release_due(batches)
                self._something(batches)
                time.sleep(self.chance.random() * 0.03)

    def _list(self, kind, event, schema):
        number = self.send(kind, wire.encode(LIST, {"count_max": 200}))
        return wire.decode(schema, self.answer(number, event))

    def _something(self, batches):
        free = [batch for batch in batches if batch.get("state", 0) == QUEUED
                and self._record(batch["batch_id"])]
        choice = self.chance.random()
        if choice < 0.3 or not free:
            if choice < 0.08:
                self._dead_letters()
            else:
                self._steer(RETRY, [], quiet=True)
            return
        # Mostly the front, which is about to leave; that is where races are.
        place = min(int(self.chance.expovariate(0.3)), len(free) - 1)
        chosen = [batch["batch_id"] for batch in free[place:place + self.chance.choice([1, 1, 3])]]
        if choice < 0.6:
            self._hold(chosen[0])
        elif choice < 0.72:
            self._take_out(CANCEL, chosen)
        elif choice < 0.77:
            self._take_out(DROP, chosen)
        else:
            self._edit(chosen[0])

    def _record(self, batch):
        return next((w.by_batch[batch] for w in self.writers if batch in w.by_batch), None)

    def _writer(self, batch):
        return next(w for w in self.writers if batch in w.by_batch)

    def _steer(self, order, batches, quiet=False, **more):
        """Whether the order was carried out; `None` if its answer was lost."""
        body = wire.encode(STEER, {"order": order, "batch_ids": batches, **more})
        result, told, error = None, "no answer", None
        try:
            steered = wire.decode(STEERED, self.answer(self.send(K_STEER, body), E_STEERED))
            result, told = steered.get("batches", []), "done"
        except wire.Failed as failure:
            # The store or the session failing says nothing of the order.
            if failure.code in (3, 5, 9):
                result, told = False, f"refused: {failure}"
            else:
                error = failure
        except OSError as failure:
            error = failure
        if not quiet:
            self.steps.add(f"{ORDERS[order]} {batches} {told}")
            if result is not False:
                word = ORDERS[order] + (" orders" if result is not None else " orders unanswered")
                self.tally[word] = self.tally.get(word, 0) + 1
        return result, error

    def _hold(self, batch):
        if self.held is not None:
            return
        result, error = self._steer(HOLD, [batch])
        if result is not None and result is not False:
            self.held = batch
            self.held_until = time.monotonic() + self.chance.random() * 0.3
            for writer in self.writers:
                writer.held = batch
        if error:
            raise error

    def _release(self, batches):
        for writer in self.writers:
            writer.held = None
        self.held = None
        _, error = self._steer(RELEASE, batches)
        if error:
            raise error

    def _release_due(self, batches):
        held = [batch["batch_id"] for batch in batches if batch.get("state", 0) == HELD]
        if self.held is not None and self.held not in held:
            self.wrong.append(f"batch {self.held} was held, and is {batches[:1]} now")
            self.held = None
        strays = [batch for batch in held if batch != self.held]
        if strays:
            # Held by an order whose answer was lost.
            self._release(strays)
        elif self.held is not None and time.monotonic() >= self.held_until:
            self._release([self.held])

    def _release_all(self, batches):
        held = [batch["batch_id"] for batch in batches if batch.get("state", 0) == HELD]
        if held:
            self._release(held)

    def _take_out(self, order, batches):
        if self.held in batches:
            return
        records = [self._record(batch) for batch in batches]
        if None in records:
            return
        for record in records:
            record.is_cancel_tried = True
        result, error = self._steer(order, batches)
        for record in records:
            if result:
                record.is_cancelled = True
        if error:
            raise error

    def _edit(self, batch):
        writer, record = self._writer(batch), self._record(batch)
        record.edit_count += 1
        version, before = record.edit_count, record.versions
        record.versions = before | {version}
        result, error = self._steer(EDIT, [batch], writes=writer.writes(record, version))
        if result:
            record.versions = {version}
        elif result is False:
            record.versions = before
        if error:
            raise error

    def _dead_letters(self):
        letters = self._list(K_LIST_LETTERS, E_LETTER_PAGE, LETTER_PAGE).get("letters", [])
        known = [letter["batch"]["batch_id"] for letter in letters
                 if self._record(letter["batch"]["batch_id"])]
        if not known:
            return
        batch = self.chance.choice(known)
        writer, record = self._writer(batch), self._record(batch)
        if self.chance.random() < 0.3:
            _, error = self._steer(DROP_LETTERS, [batch])
        else:
            # Another order to bring it back may have been carried out without an answer.
            before = record.was_brought_back
            record.was_brought_back, record.is_place_unknown = "unanswered", True
            result, error = self._steer(RETRY_LETTERS, [batch], even_if_applied=1)
            if result is False:
                record.was_brought_back = before
                record.is_place_unknown = before == "unanswered"
            elif result:
                self._brought_back(writer, record, result[0].get("new_batch_id"))
        if error:
            raise error

    def _brought_back(self, writer, record, batch):
        """It goes on under another number, and nobody orders anything for it any more."""
        record.was_brought_back = "answered"
        record.is_place_unknown = not batch
        if batch:
            record.batch = batch
