"""What a recorded wire costs by Google's price list, counted without anything of Hearth: the judge of the daemon's ledger.

A document that comes into a result, or changes in it, costs one for each target that is told of it; so does a document
that stops matching. A deletion costs nothing. A query costs at least one, and a document that is asked for by its name
one, found or not. A listen that goes on where it was costs what changed. What is sent for a target that is to end costs
the same until the backend has ended the target.
"""

import collections

from google.cloud.firestore_v1.types import BatchGetDocumentsResponse, ListenRequest, ListenResponse

SERVICE = "/google.firestore.v1.Firestore/"
# Calls that cost no reads.
FREE = {SERVICE + name for name in ("Write", "Commit", "BatchWrite")}
CHANGE = ListenResponse.pb().DESCRIPTOR.fields_by_name["target_change"].message_type.enum_types_by_name["TargetChangeType"]
CURRENT, REMOVE = (CHANGE.values_by_name[name].number for name in ("CURRENT", "REMOVE"))


class Target:
    """What one listen has cost so far."""

    def __init__(self, query, is_resumed, is_lookup):
        self.query, self.is_resumed, self.is_lookup = query, is_resumed, is_lookup
        self.is_current, self.is_ending, self.cost = False, False, 0


class Bill:
    """The cost of each query, and what each program would have paid alone."""

    def __init__(self):
        self.reads = collections.Counter()  # By query.
        self.alone = collections.Counter()  # By program.
        self.nobody = 0  # Of queries that no program wanted then.
        # By query, what was sent while its last program was leaving: the program's cost or nobody's.
        self.parting = collections.Counter()
        self.results = collections.defaultdict(dict)  # By query, its documents by path, each as it was last told.
        self.stakes = collections.defaultdict(dict)  # By query, whether each program still awaits its first answer.
        self.leavers = collections.defaultdict(set)  # By query, the programs whose listeners are ending.
        self.targets = {}  # By call and target id.
        self.resumed = 0

    def take(self, entries):
        """Counts the next entries of a record."""
        for kind, *rest in entries:
            getattr(self, kind)(*rest)

    # What the script notes.

    def join(self, program, query):
        is_current = any(target.is_current and not target.is_ending
                         for target in self.targets.values() if target.query == query)
        if is_current:
            self.alone[program] += max(1, len(self.results[query]))
        self.stakes[query][program] = not is_current

    def leaving(self, program, query):
        """The program's listener is about to end; `leave` tells that the daemon knows."""
        self.leavers[query].add(program)

    def leave(self, program, query):
        self.leavers[query].discard(program)
        del self.stakes[query][program]

    @property
    def sum(self):
        return sum(self.reads.values()) + sum(self.parting.values()) + self.nobody

    # What passed.

    def request(self, call, method, message):
        if method != SERVICE + "Listen":
            assert method in FREE or method == SERVICE + "BatchGetDocuments", f"{method} is not expected here"
            return
        request = ListenRequest.pb().FromString(message)
        if request.remove_target:
            if target := self.targets.get((call, request.remove_target)):
                target.is_ending = True
            return
        target = request.add_target
        if target.WhichOneof("target_type") == "documents":
            query = path(target.documents.documents[0])
        else:
            asked = target.query.structured_query
            query = asked.from_[0].collection_id + ("?" if asked.HasField("where") else "")
        is_resumed = target.WhichOneof("resume_type") is not None
        self.resumed += is_resumed
        # The daemon looks up by name what it holds and the backend did not name: for those who want its collection.
        is_lookup = "/" in query and not self.stakes[query]
        if is_lookup:
            collection = query.split("/")[0]
            query = collection if self.stakes[collection] else collection + "?"
        elif not is_resumed:
            self.results[query] = {}
        self.targets[call, target.target_id] = Target(query, is_resumed, is_lookup)

    def answer(self, call, method, message):
        if method == SERVICE + "BatchGetDocuments":
            found = BatchGetDocumentsResponse.pb().FromString(message)
            if found.WhichOneof("result"):
                self.reads[path(found.found.name or found.missing).split("/")[0]] += 1
        if method != SERVICE + "Listen":
            return
        answer = ListenResponse.pb().FromString(message)
        kind = answer.WhichOneof("response_type")
        if kind == "target_change":
            self.change(call, answer.target_change)
        elif kind == "document_change":
            change = answer.document_change
            self.told(call, change.document, change.target_ids, change.removed_target_ids, 1)
        elif kind == "document_delete":
            self.told_gone(call, answer.document_delete, 0)
        elif kind == "document_remove":
            self.told_gone(call, answer.document_remove, 1)

    def end(self, call, method, _):
        for key in [key for key in self.targets if key[0] == call]:
            del self.targets[key]

    def told(self, call, document, entering, leaving, cost):
        """A document as it is now, and the targets that it is in and no more in."""
        for number in entering:
            if target := self.targets.get((call, number)):
                self.pay(target, cost)
                if not target.is_lookup and not target.is_ending:
                    self.results[target.query][path(document.name)] = document
        self.leave_results(call, path(document.name), leaving, cost)

    def told_gone(self, call, gone, cost):
        """A document that is deleted, or no more in targets."""
        self.leave_results(call, path(gone.document), gone.removed_target_ids, cost)

    def leave_results(self, call, name, leaving, cost):
        for number in leaving:
            if target := self.targets.get((call, number)):
                self.pay(target, cost)
                if not target.is_ending:
                    self.results[target.query].pop(name, None)

    def change(self, call, change):
        numbers = change.target_ids or [number for of, number in self.targets if of == call]
        for number in numbers:
            target = self.targets.get((call, number))
            if target and change.target_change_type == REMOVE:
                del self.targets[call, number]
            elif target and change.target_change_type == CURRENT and not (target.is_current or target.is_ending):
                self.current(target)

    def current(self, target):
        """The backend has said all: a query without results has cost one, and who waited would have paid for all alone."""
        if not target.is_resumed and target.cost == 0:
            self.charge(target, 1)
        target.is_current = True
        if target.is_lookup:
            return
        for program, owes in self.stakes[target.query].items():
            if owes:
                self.alone[program] += max(1, len(self.results[target.query]))
                self.stakes[target.query][program] = False

    def pay(self, target, cost):
        """Something was sent: it costs the daemon, and each program alone that has had its first answer."""
        self.charge(target, cost)
        if target.is_lookup:
            return
        for program, owes in self.stakes[target.query].items():
            if not owes:
                self.alone[program] += cost

    def charge(self, target, cost):
        target.cost += cost
        if not self.stakes[target.query]:
            self.nobody += cost
        elif self.stakes[target.query].keys() <= self.leavers[target.query]:
            self.parting[target.query] += cost
        else:
            self.reads[target.query] += cost


def path(name):
    """A document's path in its database."""
    return name.split("/documents/", 1)[1]
