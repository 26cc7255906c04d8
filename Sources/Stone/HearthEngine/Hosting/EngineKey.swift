package import HearthModel

/// Which engine of a daemon: by the kind of its database, and the database.
package enum EngineKey: Hashable, Sendable {
    /// The engine of a Firestore database.
    case firestore(DatabaseID)

    /// A short name, for threads.
    package var label: String {
        switch self {
        case .firestore(let database): database.database
        }
    }
}

extension EngineKey: CustomStringConvertible {
    package var description: String {
        switch self {
        case .firestore(let database): "\(database)"
        }
    }
}
