package import HearthModel

/// Which engine of a daemon: by the kind of its database, and the database.
package enum EngineKey: Hashable, Sendable {
    /// The engine of a Firestore database.
    case firestore(DatabaseID)
    /// The engine of an instance of the Realtime Database.
    case realtime(InstanceID)

    /// The Firestore database; `nil` for a database of another kind.
    package var firestore: DatabaseID? {
        if case .firestore(let database) = self { database } else { nil }
    }

    /// The instance of the Realtime Database; `nil` for a database of another kind.
    package var realtime: InstanceID? {
        if case .realtime(let instance) = self { instance } else { nil }
    }

    /// A short name, for threads.
    package var label: String {
        switch self {
        case .firestore(let database): database.database
        case .realtime(let instance): instance.name
        }
    }
}

extension EngineKey: CustomStringConvertible {
    package var description: String {
        switch self {
        case .firestore(let database): "\(database)"
        case .realtime(let instance): "\(instance)"
        }
    }
}
