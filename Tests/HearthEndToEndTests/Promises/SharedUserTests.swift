import Hearth
import HearthTestSupport
import Testing

/// Several Firebase users on one machine, in turn: `hearth auth` changes who is signed in, and each
/// has one queue in order.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SharedUserTests {
    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /users/{user} {
              allow read, write: if request.auth != null && request.auth.uid == user;
            }
          }
        }
        """

    /// A machine for several Firebase users, before a backend that enforces rules.
    private struct Scene {
        let auth: StubAuth
        let world: World
        let machine: Machine
        let client: Firestore

        init(isOnline: Bool = true) throws {
            let auth = try StubAuth()
            self.auth = auth
            world = try World(isOnline: false, rules: SharedUserTests.rules)
            machine = try world.machine(
                "machine",
                [
                    "--credentials.source", "firebaseUser", "--credentials.apiKey", StubAuth.apiKey,
                    "--log.level", "trace",
                ], environment: ["FIREBASE_AUTH_EMULATOR_HOST=\(auth.address)"])
            client = machine.client()
            if isOnline { try world.startEmulator() }
        }

        /// Signs somebody in by the command line.
        func signIn(_ name: String) throws {
            let file = world.write("\(StubAuth.password)\n", to: "password")
            let run = try CommandRun(
                world, machine,
                ["auth", "sign-in", "--email", "\(name)@example.org", "--password-file", file])
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.first == "user: \(name)")
        }
    }

    @Test func `each user has one queue in order, which waits hidden while another is signed in`()
        async throws
    {
        let scene = try Scene(isOnline: false)
        defer { scene.auth.close() }
        let client = scene.client
        _ = try await client.daemonStatus()
        try scene.signIn("ann")
        let ann = client.document("users/ann")
        var seen = ann.snapshots(includeMetadataChanges: true).makeAsyncIterator()
        for number in 0..<3 {
            try await ann.setData(
                ["numbers": FieldValue.arrayUnion([number])], merge: true, until: .accepted)
        }
        _ = try await seen.first { ($0["numbers"] as? [Int])?.count == 3 }
        #expect(try await client.daemonStatus().queueBatchCount == 3)

        // Bert sees nothing of it, and his own write does not wait for it.
        try scene.signIn("bert")
        _ = try await seen.first { !$0.exists }
        #expect(try await client.pendingBatches().batches.map(\.user) == ["ann", "ann", "ann"])
        let bert = client.document("users/bert")
        let receipt = try await bert.setData(["n": 1], until: .accepted)
        try scene.world.startEmulator()
        _ = try await receipt.committed()
        // The writes go through before the next try to listen, and reads learn of the backend only
        // by that try.
        _ = try await eventually(
            {
                (try? await bert.getDocument(source: .server))?["n"] as? Int
            }, is: { $0 == 1 })
        #expect(try await client.daemonStatus().user == "bert")

        // A restart forgets neither who is signed in nor whose writes wait.
        scene.machine.killDaemon()
        try scene.machine.startDaemon()
        #expect(try await client.daemonStatus().user == "bert")
        try scene.signIn("ann")
        try await client.waitForPendingWrites()
        _ = try await eventually(
            {
                (try? await ann.getDocument(source: .server))?["numbers"] as? [Int]
            }, is: { $0 == [0, 1, 2] })
        #expect(try await client.daemonStatus().deadLetterCount == 0)
    }

    @Test func `transactions are made as the user who is signed in`() async throws {
        let scene = try Scene()
        defer { scene.auth.close() }
        let client = scene.client
        _ = try await client.daemonStatus()
        func write(_ name: String) async throws {
            let document = client.document("users/\(name)")
            try await client.runTransaction { transaction in
                let number = try await transaction.getDocument(document)["n"] as? Int ?? 0
                transaction.setData(["n": number + 1], forDocument: document)
            }
        }
        try scene.signIn("ann")
        // So that the backend is reached.
        try await client.document("users/ann").setData(["n": 0])
        try await write("ann")
        let error = await #expect(throws: FirestoreError.self) { try await write("bert") }
        #expect(error?.code == .permissionDenied)
        try scene.signIn("bert")
        try await client.document("users/bert").setData(["n": 6])
        try await write("bert")
        let denied = await #expect(throws: FirestoreError.self) { try await write("ann") }
        #expect(denied?.code == .permissionDenied)
        #expect(
            try await client.document("users/bert").getDocument(source: .server)["n"] as? Int == 7)
    }

    @Test func `users sign in by every way and out again, and no secret is ever logged`()
        async throws
    {
        let scene = try Scene()
        defer { scene.auth.close() }
        let (world, machine) = (scene.world, scene.machine)
        _ = try await scene.client.daemonStatus()
        func auth(_ words: String..., input: String = "") throws -> CommandRun {
            try CommandRun(world, machine, ["auth"] + words, input: input)
        }
        #expect(try auth().output == ["user: none", "credentials: a Firebase user"])
        let wrong = try auth(
            "sign-in", "--email", "ann@example.org", "--password-file", "-", input: "guess\n")
        #expect(wrong.status == 4)
        #expect(wrong.complaints.first?.contains("INVALID_LOGIN_CREDENTIALS") == true)
        #expect(wrong.complaints.first?.contains("guess") == false)
        #expect(try auth("status", "--quiet").output == [])

        let byPassword = try auth(
            "sign-in", "--email", "ann@example.org", "--password-file", "-", "--json",
            input: "\(StubAuth.password)\n")
        #expect(byPassword.output.first?.contains(#""user":"ann""#) == true)
        let byToken = try auth(
            "sign-in", "--custom-token-file", "-", input: "\(StubAuth.customToken)\n")
        #expect(byToken.output.first == "user: custom")
        let anew = try auth(
            "sign-in", "--new", "--email", "cleo@example.org", "--password-file", "-",
            input: "\(StubAuth.password)\n")
        #expect(anew.output.first == "user: cleo")
        #expect(try auth("sign-in", "--anonymous").output.first == "user: nameless")
        try await scene.client.document("users/nameless").setData(["n": 1])
        #expect(try auth("sign-out").output.first == "user: none")
        let denied = await #expect(throws: FirestoreError.self) {
            try await scene.client.document("users/nameless").setData(["n": 2])
        }
        #expect(denied?.code == .permissionDenied)
        #expect(try await scene.client.daemonStatus().user.isEmpty)
        // Signed out stays signed out.
        machine.killDaemon()
        try machine.startDaemon()
        #expect(try await scene.client.daemonIdentity().userID == nil)

        #expect(try auth("sign-in").status == 64)
        #expect(try auth("sign-in", "--anonymous", "--email", "x@y").status == 64)
        #expect(machine.stopDaemon() == 0)
        let log = world.log("machine")
        #expect(log.contains("user changed"))
        for secret in StubAuth.secrets(of: ["ann", "custom", "cleo", "nameless"]) {
            #expect(!log.contains(secret), "\(secret) is in the log")
        }
    }

    @Test func `a daemon of another kind of credentials says that no user can sign in`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        let run = try CommandRun(world, machine, ["auth", "sign-in", "--anonymous"])
        #expect(run.status == 1)
        #expect(run.complaints.first?.contains("credentials.apiKey") == true)
        let identity = try await machine.client().daemonIdentity()
        #expect(!identity.isChangeable)
        #expect(identity.source == "the emulator's administrator")
    }
}
