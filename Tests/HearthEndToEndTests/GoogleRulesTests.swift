import Hearth
import HearthTestSupport
import Testing

/// Firebase users before Google's emulator, which enforces the security rules that a test uploads.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: GoogleEmulator.isInstalled, "\(GoogleEmulator.absence)"))
struct GoogleRulesTests {
    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /users/{user}/{rest=**} {
              allow read, write: if request.auth != null && request.auth.uid == user;
            }
          }
        }
        """

    private func withRules(
        _ body: (World, EmulatorControl) async throws -> Void
    ) async throws {
        try await GoogleEmulator.run { address in
            let control = EmulatorControl(address: address)
            try control.setRules(Self.rules)
            try await body(World(reaching: address), control)
        }
    }

    @Test func `a user writes what the rules allow; the rest is rejected and taken back`()
        async throws
    {
        try await withRules { world, control in
            let client = try world.machine("ann", ["--upstream.user", "ann"]).client()
            #expect(try await client.daemonStatus().user == "ann")
            try await client.document("users/ann/notes/one").setData(["text": "mine"])
            #expect(try control.document("users/ann/notes/one").contains("mine"))

            let foreign = client.document("users/bert/notes/one")
            let error = await #expect(throws: FirestoreError.self) {
                try await foreign.setData(["text": "intruder"])
            }
            #expect(error?.code == .permissionDenied)
            let cached = try? await foreign.getDocument(source: .cache)
            #expect(cached?.exists != true, "the rejected write still shows")
            let status = try await client.daemonStatus()
            #expect(status.queueBatchCount == 0)
            #expect(status.deadLetterCount == 1)
            // What comes after a rejected write is not held up by it.
            try await client.document("users/ann/notes/two").setData(["text": "also mine"])
        }
    }

    @Test func `a listener that the rules forbid is told so, others go on`() async throws {
        try await withRules { world, _ in
            let ann = try world.machine("ann", ["--upstream.user", "ann"]).client()
            let bert = try world.machine("bert", ["--upstream.user", "bert"]).client()
            var own = ann.collection("users/ann/notes").snapshots(includeMetadataChanges: true)
                .makeAsyncIterator()
            _ = try await own.first { !$0.metadata.isFromCache }
            var foreign = ann.collection("users/bert/notes").snapshots(
                includeMetadataChanges: false
            ).makeAsyncIterator()
            let error = await #expect(throws: FirestoreError.self) {
                while try await foreign.next() != nil {}
            }
            #expect(error?.code == .permissionDenied)
            try await bert.document("users/bert/notes/one").setData(["text": "bert's"])
            try await ann.document("users/ann/notes/one").setData(["text": "ann's"])
            let seen = try await own.first { $0.count == 1 && !$0.metadata.hasPendingWrites }
            #expect(seen.documents.first?["text"] as? String == "ann's")
        }
    }

    @Test func `without a user an emulator sees the administrator, whom no rule stops`()
        async throws
    {
        try await withRules { world, control in
            let client = try world.machine().client()
            try await client.document("users/bert/notes/one").setData(["text": "from above"])
            #expect(try control.document("users/bert/notes/one").contains("from above"))
        }
    }

    @Test func `with nothing to show, the rules stop everything`() async throws {
        try await withRules { world, _ in
            let client = try world.machine("nobody", ["--credentials.source", "none"]).client()
            let error = await #expect(throws: FirestoreError.self) {
                try await client.document("users/ann/notes/one").setData(["text": "x"])
            }
            #expect(error?.code == .permissionDenied)
        }
    }
}
