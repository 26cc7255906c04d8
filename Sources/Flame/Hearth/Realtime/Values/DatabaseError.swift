import HearthModel

/// The failure of a request to a Realtime Database: a code, and a message with the cause and a
/// remedy.
public struct DatabaseError: Error, Hashable, Sendable {
    /// The kinds of failure, as in Firestore.
    public typealias Code = FirestoreErrorCode

    /// The kind of failure.
    public let code: Code
    /// One or two sentences for a person.
    public let message: String
    /// Whether a failed write may have taken effect all the same. A second attempt may then apply
    /// the write twice.
    public let mayHaveBeenApplied: Bool

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: One or two sentences for a person.
    ///   - mayHaveBeenApplied: Whether a failed write may have taken effect all the same.
    public init(_ code: Code, _ message: String, mayHaveBeenApplied: Bool = false) {
        self.code = code
        self.message = message
        self.mayHaveBeenApplied = mayHaveBeenApplied
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The code as gRPC spells it, and the message.
    public var description: String {
        let name = StatusCode(rawValue: Int32(code.rawValue))?.name ?? "UNKNOWN"
        return "\(name): \(message)"
    }
}

extension DatabaseError {
    /// The same failure, as the connection to the daemon tells it.
    init(_ error: FirestoreError) {
        self.init(error.code, error.message, mayHaveBeenApplied: error.mayHaveBeenApplied)
    }

    /// A failure that the daemon tells.
    init(_ error: HearthError) {
        self.init(FirestoreError(error))
    }

    /// The error for a program: a failure of the connection becomes one of the database.
    static func translated(_ error: any Error) -> any Error {
        (error as? FirestoreError).map(DatabaseError.init) ?? error
    }
}
