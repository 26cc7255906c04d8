import Hearth
import HearthModel

/// Places of the Realtime Database.
extension DaemonSource {
    /// One level of the node at a place: a page of children.
    func node(_ question: ConsoleQuestion) async throws -> JSONValue {
        let place = try NodePlace(question, try daemon.instance(question))
        let source: RealtimeSource =
            switch try Self.source(question, .default) {
            case .cache: .cache
            case .server: .server
            case .default: .any
            }
        var (node, isFromCache) = try await place.page.node(from: source)
        if node.isEmpty, !place.isPart {
            // A page has children alone, and here may be a leaf.
            (node, isFromCache) = try await place.reference.node(from: source)
        }
        return place.json(of: node, isFromCache: isFromCache)
    }

    /// A page of the keys right below a place, as the backend lists the keys, without the
    /// children's data.
    func nodeKeys(_ question: ConsoleQuestion) async throws -> JSONValue {
        let instance = try daemon.instance(question)
        let path = question.text("path") ?? "/"
        let (children, hasMore) = try await instance.backendChildren(
            of: path, after: question.text("after"), countMax: try question.pageSize())
        return .members([
            "path": .string(path),
            "children": .array(
                children.map {
                    .members([
                        "key": .string($0.key), "mayHaveChildren": .boolean($0.mayHaveChildren),
                    ])
                }), "next": .text(hasMore ? children.last?.key : nil),
        ])
    }

    /// The whole value at a place.
    func nodeValue(_ question: ConsoleQuestion) async throws -> JSONValue {
        let place = try NodePlace(question, try daemon.instance(question))
        let (node, _) = try await place.reference.node(from: .any)
        let bytes = node.json(.export)
        guard bytes.count <= ConsoleLimits.nodeByteCountMax else {
            throw HearthError(
                code: .resourceExhausted,
                message:
                    "What is at \(place.path) has \(bytes.count) bytes as JSON, and the limit is "
                    + "\(ConsoleLimits.nodeByteCountMax). Open a place below it.")
        }
        return .members(["path": .string(place.path), "value": try JSONReader.read(bytes)])
    }

    /// Writes to places, all or none.
    func writeNodes(_ question: ConsoleQuestion) async throws -> JSONValue {
        let instance = try daemon.instance(question)
        let writes = try NodeJSON.writes(question.body?["writes"])
        let change = try PendingNodeWrite.modelChange(of: writes, in: instance)
        let batch = try await instance.accept(change)
        return .members(["batch": .integer(batch), "state": .string("accepted")])
    }

    /// Tells what is at a place at every change.
    func runNode(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        let place = try NodePlace(question, try daemon.instance(question))
        var isPaged = true
        while !Task.isCancelled {
            let query = isPaged ? place.page : place.reference
            for try await snapshot in query.values {
                let node = snapshot.model
                if isPaged, node.isEmpty, !place.isPart { break }
                if !isPaged, node.childCount > 0 { break }
                let json = place.json(of: node, isFromCache: nil)
                guard await outlet.send("node", JSONWriter.bytes(of: json)) else { return }
            }
            isPaged.toggle()
        }
    }
}

/// A place that a page shows, and the part of its children.
struct NodePlace {
    /// The place.
    let reference: DatabaseReference
    /// The children of the page, and one more.
    let page: DatabaseQuery
    /// The place's path, as it is shown.
    let path: String
    /// Whether the page is not the first.
    let isPart: Bool
    private let pageSize: Int

    /// Reads the place and the page of a question.
    init(_ question: ConsoleQuestion, _ instance: Database) throws {
        let text = question.text("path") ?? "/"
        reference = try instance.validatedReference(withPath: text)
        path = RealtimePath(text)?.description ?? text
        pageSize = try question.pageSize()
        let after = question.text("after")
        isPart = after != nil
        let byKey = reference.queryOrderedByKey().queryLimited(toFirst: UInt(pageSize + 1))
        page = after.map { byKey.queryStarting(afterValue: $0) } ?? byKey
    }

    /// One level of the node.
    func json(of node: Node, isFromCache: Bool?) -> JSONValue {
        NodeJSON.level(
            of: node, at: path, pageSize: pageSize, isPart: isPart, isFromCache: isFromCache)
    }
}
