"""What each call of google.firestore.v1 is answered by, as docs/gateway-compatibility.md has it.

Usage: call_table.py SITUATION ADDRESS        SITUATION: prepare, online, offline, local or unavailable

Each situation ends with 0 if every answer is the one of its table here; else it tells which is not.
`local` is offline at the socket of those who ask the cache first; `unavailable` is offline where
gateway.offlineStatus says so. The test that starts the situations takes the backend away in between.
"""

import sys

import grpc
from google.cloud.firestore_v1 import types
from google.rpc import error_details_pb2, status_pb2

DATABASE = "projects/demo/databases/(default)"
ROOT = DATABASE + "/documents"
SERVICE = "/google.firestore.v1.Firestore/"

Query, Value = types.StructuredQuery, types.Value


def name(path):
    return f"{ROOT}/{path}"


def query(collection="known", **more):
    return Query(from_=[Query.CollectionSelector(collection_id=collection)], **more)


def put(path, **more):
    document = types.Document(name=name(path), fields={"n": Value(integer_value=1)})
    return types.Write(update=document, **more)


def count(collection, **more):
    aggregation = types.StructuredAggregationQuery.Aggregation
    return types.RunAggregationQueryRequest(
        parent=ROOT, **more, structured_aggregation_query=types.StructuredAggregationQuery(
            structured_query=query(collection),
            aggregations=[aggregation(count=aggregation.Count(), alias="all")]))


def run(collection="known", **more):
    return types.RunQueryRequest(parent=ROOT, structured_query=query(collection), **more)


def get(*paths, **more):
    return types.BatchGetDocumentsRequest(
        database=DATABASE, documents=[name(path) for path in paths], **more)


def commit(*writes, **more):
    return types.CommitRequest(database=DATABASE, writes=writes, **more)


PAST = {"read_time": {"seconds": 1}}
NEW = {"new_transaction": types.TransactionOptions(read_write={})}
EXPLAIN = {"explain_options": {"analyze": True}}
NEAREST = Query.FindNearest(
    vector_field=Query.FieldReference(field_path="v"), limit=1, distance_measure=1,
    query_vector=Value(map_value={"fields": {
        "__type__": Value(string_value="__vector__"),
        "value": Value(array_value={"values": [Value(double_value=1.0)]})}}))
PIPELINE = types.ExecutePipelineRequest(database=DATABASE)

# A call by what is asked: its method, its request, its metadata.
CALLS = {
    "get of what is known": ("GetDocument", types.GetDocumentRequest(name=name("known/a"))),
    "get of what is known to be missing": ("BatchGetDocuments", get("known/missing")),
    "get of what nobody told of": ("BatchGetDocuments", get("known/unheard")),
    "gets of known and unknown together": ("BatchGetDocuments", get("known/a", "known/unheard")),
    "get in the mode server": (
        "BatchGetDocuments", get("known/a"), [("hearth-reads", "server")]),
    "get at a time": ("BatchGetDocuments", get("known/a", **PAST)),
    "get that begins a transaction": ("BatchGetDocuments", get("known/a", **NEW)),
    "query that was complete": ("RunQuery", run()),
    "query that never was": ("RunQuery", run("unheard")),
    "query explained": ("RunQuery", run(**EXPLAIN)),
    "query at a time": ("RunQuery", run(**PAST)),
    "query of the nearest": (
        "RunQuery", types.RunQueryRequest(
            parent=ROOT, structured_query=query(find_nearest=NEAREST))),
    "query of all collections": (
        "RunQuery", types.RunQueryRequest(parent=ROOT, structured_query=Query(
            from_=[Query.CollectionSelector(all_descendants=True)]))),
    "count of what was complete": ("RunAggregationQuery", count("known")),
    "count of what never was": ("RunAggregationQuery", count("unheard")),
    "count explained": ("RunAggregationQuery", count("known", **EXPLAIN)),
    "list of what was complete": (
        "ListDocuments", types.ListDocumentsRequest(parent=ROOT, collection_id="known")),
    "list of what never was": (
        "ListDocuments", types.ListDocumentsRequest(parent=ROOT, collection_id="unheard")),
    "list that goes on by a token of the backend": (
        "ListDocuments", types.ListDocumentsRequest(
            parent=ROOT, collection_id="known", page_token="bm9uZQ==")),
    "list of documents of all collections": (
        "ListDocuments", types.ListDocumentsRequest(parent=ROOT)),
    "query for a number in lists": (
        "RunQuery", types.RunQueryRequest(parent=ROOT, structured_query=query(
            where=Query.Filter(field_filter=Query.FieldFilter(
                field=Query.FieldReference(field_path="n"), value=Value(integer_value=1),
                op=Query.FieldFilter.Operator.ARRAY_CONTAINS))))),
    "list of collections": (
        "ListCollectionIds", types.ListCollectionIdsRequest(parent=ROOT)),
    "parts of a query": (
        "PartitionQuery", types.PartitionQueryRequest(
            parent=ROOT, partition_count=2, structured_query=Query(
                from_=[Query.CollectionSelector(collection_id="known", all_descendants=True)],
                order_by=[Query.Order(
                    field=Query.FieldReference(field_path="__name__"), direction=1)]))),
    "pipeline": ("ExecutePipeline", PIPELINE),
    "beginning of a transaction": (
        "BeginTransaction", types.BeginTransactionRequest(database=DATABASE)),
    "rollback": ("Rollback", types.RollbackRequest(database=DATABASE, transaction=b"none")),
    "commit": ("Commit", commit(put("known/a"))),
    "commit in the mode committed": (
        "Commit", commit(put("known/a")), [("hearth-writes", "committed")]),
    "commit of a transaction": ("Commit", commit(put("known/a"), transaction=b"none")),
    "commit of one document twice": ("Commit", commit(put("known/a"), put("known/a"))),
    "commit whose condition fails": (
        "Commit", commit(put("known/a", current_document=types.Precondition(exists=False)))),
    "commit on an unknown document's existence": (
        "Commit", commit(put("known/unheard", current_document=types.Precondition(exists=True)))),
    "batch of writes": (
        "BatchWrite", types.BatchWriteRequest(database=DATABASE, writes=[put("known/a")])),
    "batch of one document twice": (
        "BatchWrite", types.BatchWriteRequest(
            database=DATABASE, writes=[put("known/a"), put("known/a")])),
    "create": (
        "CreateDocument", types.CreateDocumentRequest(
            parent=ROOT, collection_id="made", document=types.Document())),
    "update": (
        "UpdateDocument", types.UpdateDocumentRequest(document=put("known/a").update)),
    "delete": ("DeleteDocument", types.DeleteDocumentRequest(name=name("made/nothing"))),
    "name of another project": (
        "GetDocument", types.GetDocumentRequest(name=name("known/a").replace("demo", "other"))),
    "name without a database": ("GetDocument", types.GetDocumentRequest(name="x")),
}

WELL = ("OK", None)
NOT_CACHED = ("FAILED_PRECONDITION", "HEARTH_NOT_CACHED")
NEEDS_BACKEND = ("FAILED_PRECONDITION", "HEARTH_NEEDS_BACKEND")
OFFLINE = ("FAILED_PRECONDITION", "HEARTH_OFFLINE")
WRONG = ("INVALID_ARGUMENT", None)

ALWAYS = {
    "commit whose condition fails": ("ALREADY_EXISTS", None),
    "batch of one document twice": WRONG, "name without a database": WRONG,
    "name of another project": ("FAILED_PRECONDITION", "HEARTH_WRONG_PROJECT"),
}
# What is not named here is answered well.
TABLES = {
    "online": {
        **ALWAYS, "list that goes on by a token of the backend": WRONG,
        # The emulator, which is the backend here, knows no pipelines.
        "pipeline": ("UNIMPLEMENTED", None),
        "rollback": WRONG, "commit of a transaction": WRONG,
        "commit on an unknown document's existence": ("NOT_FOUND", None),
        "get at a time": ("FAILED_PRECONDITION", None),
        "query at a time": ("FAILED_PRECONDITION", None),
    },
    "offline": {
        **ALWAYS,
        "get of what nobody told of": NOT_CACHED, "gets of known and unknown together": NOT_CACHED,
        "get in the mode server": OFFLINE, "get at a time": NEEDS_BACKEND,
        "get that begins a transaction": OFFLINE, "query that never was": NOT_CACHED,
        "query explained": NEEDS_BACKEND, "query at a time": NEEDS_BACKEND,
        "query of the nearest": NEEDS_BACKEND, "query of all collections": NEEDS_BACKEND,
        "count of what never was": NOT_CACHED, "count explained": NEEDS_BACKEND,
        "list of what never was": NOT_CACHED,
        "list that goes on by a token of the backend": NEEDS_BACKEND,
        "list of documents of all collections": NEEDS_BACKEND,
        "parts of a query": NEEDS_BACKEND, "pipeline": NEEDS_BACKEND,
        "beginning of a transaction": OFFLINE, "rollback": ("UNAVAILABLE", None),
        "commit in the mode committed": OFFLINE, "commit of a transaction": ("UNAVAILABLE", None),
    },
}
TABLES["local"] = {
    **TABLES["offline"], "query that never was": WELL, "count of what never was": WELL,
    "list of what never was": WELL}
TABLES["unavailable"] = {
    asked: ("UNAVAILABLE", due[1]) if due in (NOT_CACHED, NEEDS_BACKEND, OFFLINE) else due
    for asked, due in TABLES["offline"].items()}


def ask(channel, method, request, metadata=()):
    """The status of a call, and the reason that the daemon gives for it."""
    data = type(request).serialize(request)
    metadata = [("authorization", "Bearer owner"), *metadata]
    try:
        list(channel.unary_stream(SERVICE + method)(data, metadata=metadata, timeout=20))
        return WELL
    except grpc.RpcError as error:
        details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
        for detail in status_pb2.Status.FromString(details).details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info) and info.domain == "hearth":
                return error.code().name, info.reason
        return error.code().name, None


def main():
    situation, address = sys.argv[1:]
    channel = grpc.insecure_channel(address)
    if situation == "prepare":
        for path in ("known/a", "known/b"):
            assert ask(channel, "Commit", commit(put(path))) == WELL
        for asked in ("query that was complete", "get of what is known to be missing"):
            assert ask(channel, *CALLS[asked]) == WELL, asked
        return
    table, wrong = TABLES[situation], []
    for asked, call in CALLS.items():
        found, due = ask(channel, *call), table.get(asked, WELL)
        if found != due:
            wrong.append(f"{asked}: {found}, due is {due}")
    sys.exit("\n".join(wrong) or 0)


main()
