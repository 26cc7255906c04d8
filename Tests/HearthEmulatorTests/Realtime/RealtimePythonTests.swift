import Glibc
import HearthTestSupport
import Logging
import Testing

@testable import HearthEmulator

/// Google's own client for servers against the Realtime Database, where Python and the client are installed.
@Suite(.timeLimit(.minutes(2)))
struct RealtimePythonTests {
    private static let isInstalled: Bool = {
        let isThere = run("import firebase_admin", at: "127.0.0.1:1") == 0
        if !isThere { print("SKIPPED: \(Judges.python) has no firebase-admin") }
        return isThere
    }()

    @Test(.enabled(if: isInstalled, "Python's firebase-admin is not installed"))
    func `firebase-admin reads, writes, listens, gives rules and counts to exactly 400`()
        async throws
    {
        var configuration = EmulatorConfiguration(firestore: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.realtimeTimes.keepAlive = .milliseconds(500)
        let emulator = try Emulator(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await emulator.run { addresses in
            let address = addresses.first?.description ?? ""
            let status = await withCheckedContinuation { continuation in
                Task.detached {
                    continuation.resume(
                        returning: Self.run(Self.start + Self.program, at: address))
                }
            }
            #expect(status == 0)
            emulator.shutdown()
        }
    }

    /// Makes a client.
    private static let start = """
        import firebase_admin, json, os, requests, subprocess, sys, threading
        from firebase_admin import credentials, db, exceptions
        from google.auth.credentials import AnonymousCredentials
        class Nobody(credentials.Base):
            def get_credential(self):
                return AnonymousCredentials()
        def app(name, **options):
            options["databaseURL"] = "https://judge.firebaseio.com"
            return firebase_admin.initialize_app(Nobody(), options, name=name)
        main = app("main")

        """

    /// Ends with 0 if every answer is as it should be.
    private static let program = """
        r = db.reference("/t", app=main)
        r.set({"a": 1, "b": {"c": "x"}})
        r.update({"a": 2, "b/d": True})
        assert r.get() == {"a": 2, "b": {"c": "x", "d": True}}
        value, tag = r.get(etag=True)
        assert r.get_if_changed(tag)[0] is False
        done, value, tag = r.child("a").set_if_unchanged("wrong", 9)
        assert not done and value == 2
        assert r.child("a").set_if_unchanged(tag, 3)[0] and r.child("a").get() == 3
        key = r.child("list").push({"n": 1}).key
        assert r.child("list").get(shallow=True) == {key: True}
        r.child("gone").set(1)
        r.child("gone").delete()
        assert r.child("gone").get() is None
        address = "http://" + os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
        owner = {"Authorization": "Bearer owner"}
        rules = {"rules": {
            ".read": "auth != null && auth.banned !== true",
            "t": {"q": {".indexOn": "h"}, "v": {".indexOn": ".value"},
                  ".write": "auth.uid === 'ann'"}}}
        place = address + "/.settings/rules.json?ns=judge"
        answer = requests.put(place, data=json.dumps(rules), headers=owner)
        assert answer.json() == {"status": "ok"}
        assert requests.get(place, headers=owner).json() == rules
        q, v = r.child("q"), r.child("v")
        q.set({"x": {"h": 3}, "y": {"h": 1}, "z": {"h": 2}})
        v.set({"a": 2, "b": "t", "c": False, "d": 10})
        for query, found in (
            (q.order_by_key().start_at("y"), "yz"), (q.order_by_key().end_at("y"), "xy"),
            (q.order_by_key().equal_to("y"), "y"), (q.order_by_key().limit_to_first(2), "xy"),
            (q.order_by_key().limit_to_last(2), "yz"),
            (q.order_by_child("h").start_at(2), "zx"), (q.order_by_child("h").end_at(2), "yz"),
            (q.order_by_child("h").equal_to(2), "z"), (q.order_by_child("h").limit_to_first(2), "yz"),
            (q.order_by_child("h").start_at(2).end_at(3).limit_to_last(1), "x"),
            (v.order_by_value().start_at(5), "db"), (v.order_by_value().end_at(2), "ca"),
            (v.order_by_value().equal_to("t"), "b"), (v.order_by_value().limit_to_first(2), "ca"),
            (v.order_by_value().limit_to_last(2), "db"),
        ):
            assert list(query.get()) == list(found), (found, query.get())
        ranked = {"a": {".value": 1, ".priority": 2}, "b": {".value": 1, ".priority": 1}, "c": 1}
        ranks = address + "/t/p.json?ns=judge"
        requests.put(ranks, data=json.dumps(ranked), headers=owner)
        for bounds, found in (
            ({"startAt": 2}, "a"), ({"endAt": 1}, "bc"), ({"equalTo": 1}, "b"),
            ({"limitToFirst": 1}, "c"), ({"limitToLast": 1}, "a"),
        ):
            answer = requests.get(ranks, params={"orderBy": '"$priority"', **bounds}, headers=owner)
            assert sorted(answer.json()) == list(found), (found, answer.text)
        nobody, banned = None, {"uid": "ann", "banned": True}
        for variable, reads, writes in (
            (nobody, False, False), ({"uid": "ann"}, True, True), ({"uid": "bob"}, True, False),
            (banned, False, True),
        ):
            options = {"databaseAuthVariableOverride": variable}
            other = db.reference("/t/w", app=app(f"as {variable}", **options))
            for call, is_allowed in ((other.get, reads), (lambda: other.set(1), writes)):
                try:
                    call()
                    assert is_allowed, variable
                except exceptions.UnauthenticatedError as error:
                    assert not is_allowed and "Permission denied" in str(error), error
        assert r.child("w").get() == 1, "who overrides nothing is an admin"
        heard, told = [], threading.Semaphore(0)
        def listener(event):
            heard.append((event.event_type, event.path, event.data))
            told.release()
        r.child("ev").listen(listener)
        assert told.acquire(timeout=20)
        stream = requests.get(
            address + "/t/ev.json?ns=judge", stream=True, timeout=20,
            headers={"Accept": "text/event-stream", **owner})
        lines = stream.iter_lines()
        assert b"event: keep-alive" in lines and next(lines) == b"data: null"
        r.child("ev/a").set(1)
        assert told.acquire(timeout=20)
        r.child("ev").update({"b": 2, "a": None})
        assert told.acquire(timeout=20)
        assert heard == [
            ("put", "/", None), ("put", "/a", 1), ("patch", "/", {"b": 2, "a": None})], heard
        count = os.environ["HEARTH_START"] + "\\n".join([
            "done = 0",
            "while done < 100:",
            "    try:",
            "        db.reference('/counter', app=main).transaction(lambda n: (n or 0) + 1)",
            "        done += 1",
            "    except db.TransactionAbortedError:",
            "        pass",
        ])
        counters = [subprocess.Popen([sys.executable, "-c", count]) for _ in range(4)]
        assert [c.wait() for c in counters] == [0, 0, 0, 0]
        assert db.reference("/counter", app=main).get() == 400
        os._exit(0)
        """

    private static func run(_ program: String, at address: String) -> Int32 {
        PythonRun.status(
            of: program,
            ["FIREBASE_DATABASE_EMULATOR_HOST": address, "HEARTH_START": start])
    }
}
