/// Why a store could not do what it was asked.
package enum StoreError: Error, Hashable, Sendable {
    /// No room is left on the disk.
    case full(String)
    /// The disk refused to read or write.
    case io(String)
    /// The disk refused a commit, and then refused to take it back: nobody knows whether a crash
    /// brings it back.
    case unsettled(String)
    /// What was read cannot be what was written.
    case damaged(String)
    /// A statement does not fit the tables: the schema is damaged, or another program's.
    case misfit(String)
    /// The file is sound, but another database's or a later program's.
    case foreign(String)
    /// Another process holds the file.
    case locked(String)
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let detail): "The disk is full: \(detail)."
        case .io(let detail): "The disk failed: \(detail)."
        case .unsettled(let detail):
            "The disk failed, and nobody knows yet whether the change is kept: \(detail)."
        case .damaged(let detail), .misfit(let detail): "The database is damaged: \(detail)."
        case .foreign(let detail): "The database is not for this program: \(detail)."
        case .locked(let detail): "The database is in use by another process: \(detail)."
        }
    }
}

extension StoreError {
    /// The damaged part, if the error is damage that a rescue must mend; `nil` for other errors.
    package var damage: String? {
        switch self {
        case .damaged(let detail), .misfit(let detail): detail
        case .full, .io, .unsettled, .foreign, .locked: nil
        }
    }
}
