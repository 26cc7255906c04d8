import HearthModel

@testable import HearthRealtime

/// A story of the judges' folder: what listeners hear of writes and of the server, step by step.
struct SyncPointStory: CustomStringConvertible, Sendable {
    /// One step.
    struct Step: Sendable {
        let action: Action
        let events: [Event]
        let comment: String?
    }

    /// What is done.
    enum Action: Sendable {
        case listen(RealtimePath, QueryParameters, callback: Int64?)
        case unlisten(RealtimePath, QueryParameters, callback: Int64)
        case set(WritePath, Node, isVisible: Bool)
        case update(RealtimePath, [CompoundWrite.Part])
        case serverUpdate(WritePath, Node, tag: ListenTag?)
        case serverMerge(RealtimePath, [CompoundWrite.Part], tag: ListenTag?)
        case settle(WriteID, isReverted: Bool)
        case nothing
    }

    /// What a listener must hear, and where.
    struct Event: Hashable, Sendable {
        let path: RealtimePath
        let kind: RealtimeEvent.Kind
        let key: String?
        let previousKey: String?
        let hash: String
    }

    let name: String
    let steps: [Step]

    var description: String { name }

    /// A story that cannot be read.
    struct Unreadable: Error {
        let what: String
    }

    /// Reads one story.
    init(_ json: JSONValue) throws {
        guard let name = json["name"]?.string, let steps = json["steps"]?.elements else {
            throw Unreadable(what: "a story without name or steps")
        }
        self.name = name
        self.steps = try steps.map(Self.step)
    }

    private static func step(_ json: JSONValue) throws -> Step {
        Step(
            action: try action(json), events: try (json["events"]?.elements ?? []).map(event),
            comment: json[".comment"]?.string)
    }

    private static func action(_ json: JSONValue) throws -> Action {
        let tag = json["tag"]?.integer.map { ListenTag(Int($0)) }
        switch json["type"]?.string {
        case "listen":
            return .listen(
                try path(json), try query(json["params"]), callback: json["callbackId"]?.integer)
        case "unlisten":
            return .unlisten(
                try path(json), try query(json["params"]),
                callback: json["callbackId"]?.integer ?? 0)
        case "set":
            return .set(
                try place(json), try node(json["data"]),
                isVisible: json["visible"]?.boolean ?? true)
        case "update": return .update(try path(json), try parts(json["data"]))
        case "serverUpdate":
            return .serverUpdate(try place(json), try node(json["data"]), tag: tag)
        case "serverMerge":
            return .serverMerge(try path(json), try parts(json["data"]), tag: tag)
        case "ackUserWrite":
            guard let id = json["writeId"]?.integer else {
                throw Unreadable(what: "an answer without writeId")
            }
            return .settle(WriteID(id), isReverted: json["revert"]?.boolean ?? false)
        case "suppressWarning": return .nothing
        case let type: throw Unreadable(what: "a step of type \(type ?? "none")")
        }
    }

    private static func path(_ json: JSONValue) throws -> RealtimePath {
        guard let text = json["path"]?.string, let path = RealtimePath(text) else {
            throw Unreadable(what: "a path: \(json)")
        }
        return path
    }

    private static func place(_ json: JSONValue) throws -> WritePath {
        guard let text = json["path"]?.string, let place = WritePath(text) else {
            throw Unreadable(what: "a path: \(json)")
        }
        return place
    }

    private static func node(_ json: JSONValue?) throws -> Node {
        let bytes = JSONWriter.bytes(of: json ?? .null)
        guard let node = try NodeReader.read(bytes, from: .server).node else {
            throw Unreadable(what: "a node that is left to the server")
        }
        return node
    }

    private static func parts(_ json: JSONValue?) throws -> [CompoundWrite.Part] {
        try (json?.members ?? []).map { member in
            guard let place = WritePath(member.name) else {
                throw Unreadable(what: "a path: \(member.name)")
            }
            return (place, try node(member.value))
        }
    }

    private static func query(_ json: JSONValue?) throws -> QueryParameters {
        var query = QueryParameters.all
        for member in json?.members ?? [] {
            let number = member.value.integer.map { Int($0) } ?? 0
            switch member.name {
            case "tag": continue
            case "orderByKey": query.index = .key
            case "orderByPriority": query.index = .priority
            case "orderBy":
                guard let path = member.value.string.flatMap(RealtimePath.init) else {
                    throw Unreadable(what: "an order: \(member)")
                }
                query.index = .child(path)
            case "limitToFirst": query.limit = .init(number, from: .first)
            case "limitToLast": query.limit = .init(number, from: .last)
            case "startAt": query.start = try bound(member.value, isInclusive: true)
            case "startAfter": query.start = try bound(member.value, isInclusive: false)
            case "endAt": query.end = try bound(member.value, isInclusive: true)
            case "endBefore": query.end = try bound(member.value, isInclusive: false)
            case "equalTo":
                query.start = try bound(member.value, isInclusive: true)
                query.end = query.start
            default: throw Unreadable(what: "a parameter \(member.name)")
            }
        }
        return query
    }

    private static func bound(_ json: JSONValue, isInclusive: Bool) throws
        -> QueryParameters.Bound
    {
        QueryParameters.Bound(
            try node(json["index"]).leaf, key: json["name"]?.string.map(KeyBound.init(wire:)),
            isInclusive: isInclusive)
    }

    private static func event(_ json: JSONValue) throws -> Event {
        let kinds: [String: RealtimeEvent.Kind] = [
            "value": .value, "child_added": .childAdded, "child_removed": .childRemoved,
            "child_changed": .childChanged, "child_moved": .childMoved,
        ]
        guard let kind = json["type"]?.string.flatMap({ kinds[$0] }) else {
            throw Unreadable(what: "an event: \(json)")
        }
        return Event(
            path: try path(json), kind: kind, key: kind == .value ? nil : json["name"]?.string,
            previousKey: kind == .childRemoved ? nil : json["prevName"]?.string,
            hash: NodeHash.hash(of: try node(json["data"])))
    }
}
