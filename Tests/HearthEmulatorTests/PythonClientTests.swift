import Glibc
import HearthEmulator
import HearthModel
import HearthTestSupport
import Testing

/// Google's own Python client against the emulator, where Python and the client are installed.
@Suite(.timeLimit(.minutes(2)))
struct PythonClientTests {
    private static let isInstalled: Bool = {
        let isThere = run("import google.cloud.firestore", host: "unix:/nowhere") == 0
        if !isThere { print("SKIPPED: \(Judges.python) has no google-cloud-firestore") }
        return isThere
    }()

    @Test(.enabled(if: isInstalled, "Python's google-cloud-firestore is not installed"))
    func `the official client sets, queries, listens and runs transactions`() async throws {
        try await withEmulator { _, _, address in
            let status = await Self.runAside(Self.program, host: address)
            #expect(status == 0)
        }
    }

    /// Ends with 0 if every answer is as it should be.
    private static let program = """
        import threading
        from google.cloud import firestore
        from google.api_core.exceptions import AlreadyExists, NotFound
        client = firestore.Client(project="demo-python")
        things = client.collection("things")
        things.document("a").set({"n": 1, "text": "hé", "tags": ["x", "y"]})
        things.document("b").set({"n": 2, "at": firestore.SERVER_TIMESTAMP})
        assert things.document("a").get().to_dict()["text"] == "hé"
        found = things.where(filter=firestore.FieldFilter("n", ">", 1)).stream()
        assert [d.id for d in found] == ["b"]
        assert things.count().get()[0][0].value == 2
        for call, error in (
            (lambda: things.document("a").create({}), AlreadyExists),
            (lambda: things.document("none").update({"n": 1}), NotFound),
        ):
            try:
                call()
                raise SystemExit("no error")
            except error:
                pass
        heard, told = [], threading.Semaphore(0)
        def listener(documents, changes, read_time):
            heard.append([(c.type.name, c.document.id) for c in changes])
            told.release()
        query = things.order_by("n").limit(2)
        watch = query.on_snapshot(listener)
        assert told.acquire(timeout=20) and heard[-1] == [("ADDED", "a"), ("ADDED", "b")], heard
        things.document("c").set({"n": 0})
        assert told.acquire(timeout=20), heard
        assert sorted(heard[-1]) == [("ADDED", "c"), ("REMOVED", "b")], heard
        things.document("a").update({"n": firestore.Increment(-5)})
        assert told.acquire(timeout=20) and heard[-1] == [("MODIFIED", "a")], heard
        watch.unsubscribe()
        @firestore.transactional
        def double(transaction):
            n = things.document("b").get(transaction=transaction).get("n")
            transaction.update(things.document("b"), {"n": n * 2})
        double(client.transaction())
        assert things.document("b").get().get("n") == 4
        batch = client.bulk_writer()
        for number in range(50):
            batch.set(client.document(f"many/{number:02}"), {"n": number})
        batch.close()
        assert len(list(client.collection("many").list_documents())) == 50
        assert sorted(c.id for c in client.collections()) == ["many", "things"]
        """

    /// Runs a program on a thread that may wait for it.
    private static func runAside(_ program: String, host: String) async -> Int32 {
        await withCheckedContinuation { continuation in
            Task.detached { continuation.resume(returning: run(program, host: host)) }
        }
    }

    private static func run(_ program: String, host: String) -> Int32 {
        PythonRun.status(of: program, ["FIRESTORE_EMULATOR_HOST": host])
    }
}
