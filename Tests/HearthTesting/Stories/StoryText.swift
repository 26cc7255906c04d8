import HearthFirestore
import HearthModel

/// How a failed story shows what it compares.
enum StoryText {
    static func event(_ event: StoryEvent) -> String {
        if let code = event.errorCode { return "\(event.query.canonicalID): \(code.name)" }
        return snapshot(
            event.query, isFromCache: event.isFromCache, hasPendingWrites: event.hasPendingWrites,
            event.changes)
    }

    static func heard(_ heard: StoryDriver.Heard) -> String {
        switch heard.result {
        case .failure(let error):
            "\(heard.query.canonicalID): \(error)"
        case .success(let view):
            snapshot(view)
        }
    }

    static func snapshot(_ view: ViewSnapshot) -> String {
        snapshot(
            view.query, isFromCache: view.isFromCache, hasPendingWrites: view.hasPendingWrites,
            view.changes)
    }

    private static func snapshot(
        _ query: Query, isFromCache: Bool, hasPendingWrites: Bool, _ changes: [DocumentChange]
    ) -> String {
        var parts = [query.canonicalID + ":"]
        if isFromCache { parts.append("fromCache") }
        if hasPendingWrites { parts.append("pendingWrites") }
        parts += changes.map { "\($0.kind) \(document($0.document))" }
        return parts.joined(separator: " ")
    }

    static func document(_ document: Document) -> String {
        let content =
            switch document.content {
            case .invalid: "?"
            case .found(let fields): Value.map(fields).canonicalID
            case .missing: "missing"
            case .unknown: "unknown"
            }
        let state =
            switch document.state {
            case .synced: ""
            case .localMutations: " local"
            case .committedMutations: " committed"
            }
        return "\(document.key)@\(document.version.timestamp.microseconds)\(content)\(state)"
    }

    static func writes(_ mutations: [Mutation]) -> String {
        mutations.map { "\($0.key) \($0.kind)" }.joined(separator: ", ")
    }

    static func target(_ target: StoryTarget) -> String {
        "\(target.target.canonicalID) \(point(target.resumePoint)) \(target.purpose)"
    }

    /// What a request for a target has otherwise than expected.
    static func differences(of request: ListenRequest, from expected: StoryTarget) -> [String] {
        var result: [String] = []
        if request.target != expected.target {
            result.append(
                "expected \(expected.target.canonicalID), got \(request.target.canonicalID)")
        }
        if request.resumePoint != expected.resumePoint {
            result.append(
                "expected to resume \(point(expected.resumePoint)), got "
                    + point(request.resumePoint))
        }
        if request.purpose != expected.purpose {
            result.append("expected purpose \(expected.purpose), got \(request.purpose)")
        }
        if let count = expected.expectedCount, request.expectedCount != count {
            result.append(
                "expected the count \(count), got " + Self.count(request.expectedCount))
        }
        return result
    }

    static func count(_ count: Int?) -> String { count.map(String.init) ?? "none" }

    static func point(_ point: ResumePoint) -> String {
        switch point {
        case .start: "from the start"
        case .token(let token): "at \(text(of: token))"
        case .readTime(let version): "at time \(version.timestamp.microseconds)"
        }
    }

    /// A story's token is text; a token of the backend has bytes that would end a line of text.
    private static func text(of token: ResumeToken) -> String {
        let isText = token.bytes.allSatisfy { (0x20..<0x7F).contains($0) }
        return isText ? "\"\(String(decoding: token.bytes, as: UTF8.self))\"" : "\(token.bytes)"
    }
}
