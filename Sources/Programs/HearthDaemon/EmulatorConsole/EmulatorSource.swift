import HearthBackend
import HearthConsole
import HearthEmulator
import HearthModel
import HearthRules

/// An emulator as a console shows the emulator to its owner: data, requests and rules.
struct EmulatorSource: ConsoleSource {
    let kind = "emulator"
    let sections = [ConsoleSection.data, .requests, .rules]
    let desk: EmulatorDesk
    /// The emulator's addresses.
    let addresses: ServingAddresses

    /// How often a page is told of new databases and collections.
    private static let overviewInterval = ConsoleLimits.overviewInterval
    /// How long a stream lets changes gather behind an event, or behind a look that found nothing new.
    ///
    /// A query runs whole at each look, so a busy collection must not have one for each write.
    static let eventInterval = Duration.milliseconds(100)

    var place: String { addresses.text }

    func answer(
        _ route: ConsoleRoute, _ question: ConsoleQuestion
    ) async throws -> JSONValue {
        switch route {
        case .overview: try await overview()
        case .history: .members(["stepSeconds": .integer(1), "samples": .array([])])
        case .collections: try await collections(question)
        case .documents: try await documents(question)
        case .document: try await document(question)
        case .write: try await write(question)
        case .query: try await query(question)
        case .node: try node(question)
        case .nodeValue: try nodeValue(question)
        case .nodeWrite: try await writeNodes(question)
        case .rules: try rules(question)
        case .ruleTrial: try await tryRules(question)
        case .rulePublication: try await publishRules(question)
        case .session, .compare, .queue, .batch, .waitingCauses, .deadLetters, .letter, .causes,
            .steer, .programs, .ledger, .network, .nodeKeys:
            throw Self.unknown(route.rawValue)
        }
    }

    func run(
        _ stream: ConsoleStream, _ question: ConsoleQuestion, _ outlet: EventOutlet
    ) async throws {
        switch stream {
        case .overview: try await runOverview(outlet)
        case .documents: try await runDocuments(question, outlet)
        case .document: try await runDocument(question, outlet)
        case .node: try await runNode(question, outlet)
        case .requests: try await runRequests(question, outlet)
        }
    }

    func told(_ error: any Error) -> HearthError {
        HearthError(code: .unknown, message: "\(error)")
    }

    /// The database that a question names, `PROJECT/DATABASE`.
    func database(_ question: ConsoleQuestion) throws(HearthError) -> DatabaseID {
        let name = try question.needed("db")
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let id = DatabaseID(
            project: String(parts.first ?? ""), database: parts.count == 2 ? String(parts[1]) : "")
        guard parts.count == 2, id.isPossible else {
            throw Self.argument("\(PathError.brief(name)) is no Firestore database.")
        }
        return id
    }

    /// The tree that a question names.
    static func namespace(_ question: ConsoleQuestion) throws(HearthError) -> RealtimeNamespace {
        let name = try question.needed("db")
        guard let namespace = RealtimeNamespace(name) else {
            throw argument("\(PathError.brief(name)) is no tree's name.")
        }
        return namespace
    }

    /// The place of a tree that a question names; the root if it names none.
    static func treePath(_ question: ConsoleQuestion) throws(HearthError) -> RealtimePath {
        let text = question.text("path") ?? "/"
        guard let path = RealtimePath(text) else {
            throw argument("\(PathError.brief(text)) is no place of a tree.")
        }
        // A node is changed by recursion, a level for each key.
        guard path.depth <= RealtimePath.depthMax else {
            throw argument("\(PathError.brief(text)) has more than \(RealtimePath.depthMax) keys.")
        }
        return path
    }

    static func argument(_ message: String) -> HearthError {
        HearthError(code: .invalidArgument, message: message)
    }

    private static func unknown(_ name: String) -> HearthError {
        HearthError(code: .notFound, message: "An emulator's console has no \"\(name)\".")
    }
}

/// The databases, and what there is of each.
extension EmulatorSource {
    private func overview() async throws -> JSONValue {
        var databases: [JSONValue] = []
        for id in desk.databases {
            let paths = try await desk.view(of: id).documents.collections(below: .root)
            databases.append(
                Self.json(
                    "\(id.project)/\(id.database)", "firestore",
                    shape: paths.map(\.string).joined(separator: "\n")))
        }
        for name in desk.instances {
            let children = desk.node(at: .root, of: name).children.prefix(ConsoleLimits.pageSizeMax)
            databases.append(
                Self.json(
                    name.name, "realtime",
                    shape: children.map { "\($0.key.text) \($0.node.childCount > 0)" }
                        .joined(separator: "\n")))
        }
        return .members([
            "daemon": .members(["isReachable": .boolean(true), "error": .null]),
            "databases": .array(databases), "identity": .null,
        ])
    }

    /// - Parameter shape: Changes when the tree beside the data should be drawn anew.
    private static func json(_ name: String, _ service: String, shape: String) -> JSONValue {
        var hasher = Hasher()
        hasher.combine(shape)
        return .members([
            "db": .string(name), "service": .string(service), "state": .string("live"),
            "hasCache": .boolean(false), "shape": .string("\(hasher.finalize())"),
        ])
    }

    /// Looks once a second whether there is something new, while a page is open.
    private func runOverview(_ outlet: EventOutlet) async throws {
        var told: JSONValue?
        while true {
            let overview = try await overview()
            if overview != told {
                guard await outlet.send("overview", JSONWriter.bytes(of: overview)) else { return }
                told = overview
            }
            try await Task.sleep(for: Self.overviewInterval)
        }
    }
}
