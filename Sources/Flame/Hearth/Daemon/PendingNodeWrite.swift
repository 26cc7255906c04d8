import HearthModel
import HearthWire

/// One place of a waiting or rejected write to the Realtime Database, as the daemon will send it.
///
/// The places of one batch are written together: one place replaces all there, and several are an
/// update.
public struct PendingNodeWrite: Sendable {
    /// The path from the root, such as `/rooms/hall`; it ends in `/.priority` if just the priority of
    /// the place is written.
    public var path: String
    /// What is to be there, in the form that `setValue` takes: priorities stand in `.priority`, what
    /// the server fills in stands in `.sv`. `nil` removes all at the place.
    public var value: (any Sendable)?

    /// Describes a write; see the properties.
    public init(path: String, value: (any Sendable)?) {
        self.path = path
        self.value = value
    }
}

// MARK: - From the queue

extension PendingNodeWrite {
    /// The writes of a batch, in the order of places.
    static func writes(of content: BatchContent) -> [PendingNodeWrite] {
        guard case .places(_, let change?) = content else { return [] }
        return change.parts.map {
            PendingNodeWrite(path: $0.place.description, value: $0.node.exportValue)
        }
    }
}

extension UnresolvedNode {
    /// The value with its priorities, and with `.sv` where the server fills in; `nil` for nothing.
    fileprivate var exportValue: (any Sendable)? {
        guard !template.isEmpty else { return nil }
        guard !places.isEmpty else { return template.exportValue(keepsSpellings: true) }
        let own = places.filter(\.path.isRoot)
        var values: [String: any Sendable] = [:]
        if let priority = template.priority {
            values[".priority"] = own.first(where: \.isPriority)?.value.form ?? priority.value
        }
        if let literal = template.leaf {
            let leaf = own.first { !$0.isPriority }?.value.form ?? literal.value
            guard !values.isEmpty else { return leaf }
            values[".value"] = leaf
            return values
        }
        var members = values.map { SpelledMap.Field($0.key, $0.value) }
        for child in template.children {
            guard let value = node(at: RealtimePath([child.key])).exportValue else { continue }
            members.append(SpelledMap.Field(child.key.text, value))
        }
        return SpelledMap(members).simplest
    }
}

extension HearthModel.ServerValue {
    /// The form in which a program writes the value.
    fileprivate var form: any Sendable {
        switch self {
        case .timestamp: [".sv": "timestamp"] as [String: any Sendable]
        case .increment(let delta):
            [".sv": ["increment": delta.value] as [String: any Sendable]] as [String: any Sendable]
        }
    }
}

// MARK: - Into the queue

extension PendingNodeWrite {
    /// The change that writes all places, checked like any write.
    ///
    /// - Throws: `DatabaseError` `invalidArgument` for a path that is none, for a value that the
    ///   Realtime Database cannot hold, and for places that one update cannot write together.
    static func change(
        of writes: [PendingNodeWrite], in root: DatabaseReference
    ) throws(DatabaseError) -> RealtimeChange {
        var values: [String: Any] = [:]
        for write in writes {
            guard values.updateValue(write.value as Any, forKey: write.path) == nil else {
                throw DatabaseError(
                    .invalidArgument, "\(write.path) is written twice. Name each place once.")
            }
        }
        guard let first = writes.first, writes.count == 1 else {
            guard let change = try root.updating(values) else { throw Self.empty }
            return change
        }
        guard let place = WritePath(first.path) else {
            _ = try Database.path(first.path, below: .root)
            throw DatabaseError(
                .invalidArgument, "\"\(first.path)\" is no place that can be written.")
        }
        let reference = DatabaseReference(database: root.database, path: place.path)
        return place.isPriority
            ? try reference.settingPriority(first.value) : try reference.setting(first.value)
    }

    private static var empty: DatabaseError {
        DatabaseError(
            .invalidArgument,
            "A batch needs something to write; to write nothing, cancel or drop it.")
    }
}
