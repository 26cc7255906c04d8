import HearthEngine

/// Why a file is no backup, or none that can be used.
package enum BackupError: Error, Hashable, Sendable {
    /// The file is no backup, or of a later program.
    case foreign(String)
    /// The file was a backup, and is not whole any more.
    case damaged(String)
    /// The file, or the folder, cannot be read or written.
    case io(String)
}

extension BackupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .foreign(let reason): "It is no backup that this program can read: \(reason)."
        case .damaged(let reason): "It is damaged: \(reason)."
        case .io(let reason): "\(reason)."
        }
    }
}

extension BackupError {
    /// The error of a store. The store's sentence loses its full stop, since `io` adds a full stop.
    static func store(_ error: StoreError) -> BackupError { .io(String("\(error)".dropLast())) }
}
