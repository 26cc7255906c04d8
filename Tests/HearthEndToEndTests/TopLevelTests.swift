import Hearth
import HearthTestSupport
import Testing

/// Programs whose whole code stands in `main.swift`, outside of any function.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TopLevelTests {
    private static let rules = """
        service cloud.firestore {
          match /databases/{database}/documents { match /open/{id} { allow read, write; } }
        }
        """

    @Test func `top-level code that awaits a refused write is thrown its error`() async throws {
        let world = try World(rules: Self.rules)
        let machine = try world.machine("machine", ["--upstream.user", "ada"])
        let source = world.write(
            """
            import Hearth

            let db = Firestore.firestore()
            func tell(_ name: String, _ error: any Error) {
                print(name, (error as? FirestoreError)?.code == .permissionDenied)
            }
            try await db.document("open/door").setData(["n": 1], until: .committed)
            let closed = db.document("closed/door")
            do { try await closed.setData(["n": 1], until: .committed) } catch { tell("set", error) }
            do { try await closed.updateData(["n": 1], until: .committed) } catch { tell("update", error) }
            do { try await closed.delete(until: .committed) } catch { tell("delete", error) }
            do {
                try await db.collection("closed").addDocument(data: ["n": 1], until: .committed)
            } catch { tell("add", error) }
            let batch = db.batch()
            batch.setData(["n": 1], forDocument: closed)
            do { try await batch.commit(until: .committed) } catch { tell("batch", error) }

            """, to: "main.swift")
        let program = try ProgramCompiler(world).program("toplevel", [source])
        let process = try ChildProcess(
            program, [], log: "\(world.folder.path)/told.log",
            output: "\(world.folder.path)/told.log",
            environment: ["HEARTH_SOCKET=\(machine.socketPath)"])
        #expect(process.exitStatus() == 0, "\(world.log("told"))")
        let told = world.log("told").split(separator: "\n")
        #expect(told == ["set true", "update true", "delete true", "add true", "batch true"])
    }

    /// Every call with two forms, one that waits and one that does not.
    private static let calls = [
        "document.setData([:])", "document.setData([:], merge: true)",
        "document.setData([:], mergeFields: [])", "document.setData(from: [0])",
        "document.setData(from: [0], mergeFields: [])", "document.updateData([:])",
        "document.delete()", "collection.addDocument(data: [:])",
        "collection.addDocument(from: [0])", "batch.commit()", "db.loadBundle([UInt8]())",
        "db.loadBundle(Nothing())", "db.setIndexConfiguration(\"\")", "db.enableNetwork()",
        "db.disableNetwork()", "db.terminate()", "db.clearPersistence()",
        "ref.setValue(1)", "ref.setValue(1, andPriority: 2)", "ref.setValue(from: [0])",
        "ref.removeValue()", "ref.setPriority(1)", "ref.updateChildValues([:])",
        "ref.runTransactionBlock { .success(withValue: $0) }", "ref.onDisconnectSetValue(1)",
        "ref.onDisconnectSetValue(1, andPriority: 2)", "ref.onDisconnectRemoveValue()",
        "ref.onDisconnectUpdateChildValues([:])", "ref.cancelDisconnectOperations()",
    ]

    private static let head = """
        import Hearth
        struct Nothing: ByteStream {
            func open() {}
            func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { 0 }
            func close() {}
        }
        let db = Firestore.firestore()
        let collection = db.collection("rooms")
        let document = collection.document("hall")
        let batch = db.batch()
        let ref = Database.database().reference()

        """

    @Test func `an awaited call that would wait for nothing does not compile in top-level code`()
        throws
    {
        let world = try World(isOnline: false)
        let compiler = ProgramCompiler(world)
        let program = Self.head + Self.calls.map { "try await \($0)\n" }.joined()
        for (language, kind) in [(6, "error:"), (5, "warning:")] {
            let outcome = try compiler.check("main", program, language: language)
            #expect((outcome.status != 0) == (language == 6))
            let lines = outcome.messages.split(separator: "\n")
            let first = Self.head.split(separator: "\n", omittingEmptySubsequences: false).count
            for (index, call) in Self.calls.enumerated() {
                let place = "main.swift:\(first + index):"
                #expect(
                    lines.contains { line in
                        line.contains(place) && line.contains(kind)
                            && line.contains("it does not wait")
                    }, "Swift \(language): \(call)")
            }
        }
    }

    @Test func `the forms of Firebase compile in functions that wait and in those that do not`()
        throws
    {
        let world = try World(isOnline: false)
        let plain = Self.calls.map { "    try \($0)\n" }.joined()
        let waiting = Self.calls.map { "    _ = try await \($0)\n" }.joined()
        let program =
            Self.head + """
                func plain() throws {
                \(plain)    document.setData([:]) { error in print(error as Any) }
                    document.setData([:], completion: nil)
                    batch.commit { error in print(error as Any) }
                    db.loadBundle([UInt8]()) { progress, error in print(progress as Any) }
                    db.terminate { error in print(error as Any) }
                }
                func waiting() async throws {
                \(waiting)    [1].forEach { _ in document.setData([:]) }
                    document.updateData([:], completion: nil)
                }

                """
        let outcome = try ProgramCompiler(world).check("functions", program)
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(!outcome.messages.contains("it does not wait"))
    }
}
