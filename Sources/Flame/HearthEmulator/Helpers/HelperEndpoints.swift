import HearthModel
import HearthProtocol
import HearthRPC

/// Endpoints for tests beside the database itself: clearing, faults, files, rules.
///
/// Shape: `/emulator/v1/projects/P/databases/D/documents`, `/emulator/v1/projects/P:WORD`, and our own
/// below `/emulator/v1/hearth/`.
struct HelperEndpoints: Sendable {
    let host: BackendHost
    let faults: FaultTable
    /// The folder for imports and exports by file; `nil` for none.
    var files: FileFolder?

    /// The area that a target belongs to for `WebGuard`.
    static func area(of target: HTTPTarget) -> WebGuard.Area {
        guard target.segments.first == "emulator" else { return .database }
        return target.segments.contains { fileWords.contains(word(of: $0)) } ? .files : .helpers
    }

    /// Whether a target is an endpoint for tests, whatever the verb.
    static func claims(_ target: HTTPTarget) -> Bool {
        target.segments == [""] || target.segments.starts(with: ["emulator", "v1"])
    }

    private static let fileWords: Set<String> = ["export", "import"]

    /// The word behind the last colon of a project's name, such as `export`; empty without a colon.
    private static func word(of name: String) -> String {
        guard let colon = name.utf8LastIndex(of: ":") else { return "" }
        return String(name[name.utf8.index(after: colon)...])
    }

    /// Answers a request for one of the helper endpoints.
    ///
    /// - Parameters:
    ///   - body: The request's body, unpacked.
    ///   - reply: Called once, on any thread, if `answer` returns `true`.
    /// - Returns: Whether the target is a helper endpoint.
    func answer(
        _ verb: String, _ target: HTTPTarget, _ body: [UInt8],
        _ reply: @escaping @Sendable (HTTPReply) -> Void
    ) -> Bool {
        let segments = target.segments
        if segments == [""] {
            reply(.text("Ok"))
            return true
        }
        guard segments.count >= 2, segments[0] == "emulator", segments[1] == "v1" else {
            return false
        }
        let rest = Array(segments.dropFirst(2))
        do throws(HearthError) {
            switch (verb, rest.first) {
            case (_, "hearth"): try own(verb, target, body, reply)
            case ("DELETE", "projects")
            where rest.count == 5 && rest[2] == "databases" && rest[4] == "documents":
                flush(DatabaseID(project: rest[1], database: rest[3]), reply)
            case (_, "projects") where rest.count == 2:
                try ofProject(verb, rest[1], body, reply)
            default:
                reply(.notFound)
            }
        } catch {
            reply(.error(error))
        }
        return true
    }

    typealias Reply = @Sendable (HTTPReply) -> Void

    private func flush(_ database: DatabaseID, _ reply: @escaping Reply) {
        host.flush(database) { result in
            switch result {
            case .success: reply(.emptyObject)
            case .failure(let error): reply(.error(error))
            }
        }
    }

    private func own(
        _ verb: String, _ target: HTTPTarget, _ body: [UInt8], _ reply: @escaping Reply
    ) throws(HearthError) {
        switch (verb, target.segments.dropFirst(3).joined(separator: "/")) {
        case ("GET", "export"):
            let format = try Self.format(target.parameter("format"))
            return export(format, of: try Self.database(target)) { result in
                switch result {
                case .success(let bytes): reply(.json(bytes))
                case .failure(let error): reply(.error(error))
                }
            }
        case ("POST", "import"):
            return load(body, into: try Self.database(target)) { result in
                switch result {
                case .success: reply(.emptyObject)
                case .failure(let error): reply(.error(error))
                }
            }
        case ("GET", "faults"):
            break
        case ("POST", "faults"):
            let wish = try FaultWish(json: try Self.json(body))
            for fault in wish.faults { faults.inject(fault) }
            if let step = wish.clockStep { host.clock.move(to: step) }
        case ("DELETE", "faults"):
            faults.clear()
            host.clock.move(to: .zero)
        default:
            return reply(.notFound)
        }
        let wish = FaultWish(faults: faults.waiting, clockStep: host.clock.step)
        reply(.json(wish.json))
    }

    private func ofProject(
        _ verb: String, _ name: String, _ body: [UInt8], _ reply: @escaping Reply
    ) throws(HearthError) {
        guard let colon = name.utf8LastIndex(of: ":") else { return reply(.notFound) }
        let project = String(name[..<colon])
        switch (verb, Self.word(of: name)) {
        case ("PUT", "securityRules"):
            try setRules(try Self.json(body), project: project, reply)
        case ("GET", "ruleCoverage"):
            reply(.json(JSONWriter.bytes(of: host.ruleReport(of: project))))
        case ("GET", "ruleCoverage.html"):
            reply(.page(host.rulePage(of: project)))
        case ("POST", "export"):
            try transfer(try Self.json(body), project: project, reply) {
                exportFile($0, $1, of: $2, then: $3)
            }
        case ("POST", "import"):
            try transfer(try Self.json(body), project: project, reply) {
                importFile($1, into: $2, then: $3)
            }
        default:
            reply(.notFound)
        }
    }

    private func setRules(
        _ json: JSONValue, project: String, _ reply: @escaping Reply
    ) throws(HearthError) {
        guard let file = json["rules"]?["files"]?.elements?.first,
            let source = file["content"]?.string
        else { throw JSONToProto.invalid }
        var rules = KeptRules(project: project, source: source)
        if let name = file["name"]?.string { rules.fileName = name }
        host.keepRules(rules) { result in
            switch result {
            case .success: reply(.emptyObject)
            case .failure(let error): reply(.error(error))
            }
        }
    }

    private static func database(_ target: HTTPTarget) throws(HearthError) -> DatabaseID {
        try NameReader.database(target.parameter("database") ?? "")
    }

    private static func json(_ body: [UInt8]) throws(HearthError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(body)
        } catch {
            throw JSONToProto.invalid
        }
    }
}
