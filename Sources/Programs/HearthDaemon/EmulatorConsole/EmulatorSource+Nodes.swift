import HearthBackend
import HearthConsole
import HearthEmulator
import HearthModel

/// Places of the Realtime Database.
extension EmulatorSource {
    /// A place of a tree, and the part of its children that a page shows.
    private struct Place {
        let namespace: RealtimeNamespace
        let path: RealtimePath
        let after: ChildKey?
        let pageSize: Int

        init(_ question: ConsoleQuestion) throws(HearthError) {
            namespace = try EmulatorSource.namespace(question)
            path = try EmulatorSource.treePath(question)
            after = question.text("after").flatMap { ChildKey($0) }
            pageSize = try question.pageSize()
        }
    }

    /// One level of a node, with a page of the node's children.
    func node(_ question: ConsoleQuestion) throws -> JSONValue {
        json(of: try Place(question))
    }

    /// The whole value at a place.
    func nodeValue(_ question: ConsoleQuestion) throws -> JSONValue {
        let place = try Place(question)
        let node = desk.node(at: place.path, of: place.namespace)
        // The estimate keeps a large tree from being written out only to be refused.
        guard NodeSize.estimate(node) <= 2 * ConsoleLimits.nodeByteCountMax else {
            throw Self.tooLarge(place.path)
        }
        let bytes = node.json(.export)
        guard bytes.count <= ConsoleLimits.nodeByteCountMax else {
            throw Self.tooLarge(place.path)
        }
        return .members([
            "path": .string(place.path.description), "value": try JSONReader.read(bytes),
        ])
    }

    private static func tooLarge(_ path: RealtimePath) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "What is at \(path) has more than \(ConsoleLimits.nodeByteCountMax) bytes as "
                + "JSON. Open a place below it.")
    }

    /// Writes to places, all or none, as the owner.
    func writeNodes(_ question: ConsoleQuestion) async throws -> JSONValue {
        let place = try Place(question)
        var writes: [(path: String, value: JSONValue)] = []
        for write in question.body?["writes"]?.elements ?? [] {
            guard let path = write["path"]?.string, let value = write["value"] else {
                throw Self.argument("A write has a path and a value.")
            }
            writes.append((path, value))
        }
        guard !writes.isEmpty else { throw Self.argument("\"writes\" is a list of writes.") }
        try await desk.write(writes, to: place.namespace)
        return .members(["batch": .null, "state": .string("committed")])
    }

    /// Tells what is at a place at every change.
    func runNode(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        let place = try Place(question)
        let follower = desk.follow(place.path, of: place.namespace)
        var told: JSONValue?
        for await _ in follower.wakes {
            try follower.take()
            let json = json(of: place)
            if json != told {
                guard await outlet.send("node", JSONWriter.bytes(of: json)) else { return }
                told = json
            }
            try await Task.sleep(for: Self.eventInterval)
        }
    }

    private func json(of place: Place) -> JSONValue {
        NodeJSON.level(
            of: desk.node(at: place.path, of: place.namespace), at: place.path.description,
            pageSize: place.pageSize, after: place.after)
    }
}
