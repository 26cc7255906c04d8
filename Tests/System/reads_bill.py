"""What a recorded wire costs by Google's price list, counted without anything of Hearth: the judge of the daemon's ledger.

A document that comes into a result, or changes in it, costs one for each target that is told of it; so does a document
that stops matching. A deletion costs nothing. A query costs at least one, and a document that is asked for by its name
one, found or not. A listen that goes on where it was costs what changed.
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
        self.is_current, self.cost = False, 0


class Bill:
    """The cost of each query, and what each program would have paid alone."""

    def __init__(self):
        self.reads = collections.Counter()  # By query.
        self.alone = collections.Counter()  # By program.
        self.nobody = 0  # Of queries that no program wanted then.
        self.results = collections.defaultdict(set)  # By query, the names of its documents.
        self.stakes = collections.defaultdict(dict)  # By query, whether each program still awaits its first answer.
        self.targets = {}  # By call and target id.
        self.resumed = 0

    def take(self, entries):
        """Counts a whole record."""
        for kind, *rest in entries:
            getattr(self, kind)(*rest)
        return self

    # What the script notes.

    def join(self, program, query):
        is_current = any(target.is_current for target in self.targets.values() if target.query == query)
        if is_current:
            self.alone[program] += max(1, len(self.results[query]))
        self.stakes[query][program] = not is_current

    def leave(self, program, query):
        del self.stakes[query][program]

    # What passed.

    def request(self, call, method, message):
        if method != SERVICE + "Listen":
            assert method in FREE or method == SERVICE + "BatchGetDocuments", f"{method} is not expected here"
            return
        request = ListenRequest.pb().FromString(message)
        if request.remove_target:
            self.targets.pop((call, request.remove_target), None)
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
            self.results[query] = set()
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
            self.told(call, change.document.name, change.target_ids, change.removed_target_ids, 1)
        elif kind == "document_delete":
            self.told(call, answer.document_delete.document, (), answer.document_delete.removed_target_ids, 0)
        elif kind == "document_remove":
            self.told(call, answer.document_remove.document, (), answer.document_remove.removed_target_ids, 1)

    def end(self, call, method, _):
        for key in [key for key in self.targets if key[0] == call]:
            del self.targets[key]

    def told(self, call, name, entering, leaving, leaving_cost):
        for number in entering:
            if target := self.targets.get((call, number)):
                self.pay(target, 1)
                if not target.is_lookup:
                    self.results[target.query].add(name)
        for number in leaving:
            if target := self.targets.get((call, number)):
                self.pay(target, leaving_cost)
                self.results[target.query].discard(name)

    def change(self, call, change):
        numbers = change.target_ids or [number for of, number in self.targets if of == call]
        for number in numbers:
            target = self.targets.get((call, number))
            if target and change.target_change_type == REMOVE:
                del self.targets[call, number]
            elif target and change.target_change_type == CURRENT and not target.is_current:
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
        if self.stakes[target.query]:
            self.reads[target.query] += cost
        else:
            self.nobody += cost


def path(name):
    """A document's path in its database."""
    return name.split("/documents/", 1)[1]
