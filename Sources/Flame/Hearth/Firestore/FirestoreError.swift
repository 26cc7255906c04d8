import HearthModel

/// The domain of Firestore's errors in Firebase's other libraries.
public let FirestoreErrorDomain = "FIRFirestoreErrorDomain"

/// The kinds of failure, with the numbers of gRPC.
public enum FirestoreErrorCode: Int, Hashable, Sendable, CaseIterable {
    case ok = 0
    case cancelled = 1
    case unknown = 2
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16
}

/// The failure of a request: a code, and a message with the cause and a remedy.
public struct FirestoreError: Error, Hashable, Sendable {
    /// The kind of failure.
    public let code: FirestoreErrorCode
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
    public init(_ code: FirestoreErrorCode, _ message: String, mayHaveBeenApplied: Bool = false) {
        self.code = code
        self.message = message
        self.mayHaveBeenApplied = mayHaveBeenApplied
    }
}

extension FirestoreError: CustomStringConvertible {
    /// The code as gRPC spells it, and the message.
    public var description: String {
        let name = StatusCode(rawValue: Int32(code.rawValue))?.name ?? "UNKNOWN"
        return "\(name): \(message)"
    }
}

extension FirestoreError {
    init(_ error: HearthError, mayHaveBeenApplied: Bool = false) {
        self.init(
            FirestoreErrorCode(rawValue: Int(error.code.rawValue)) ?? .unknown, error.message,
            mayHaveBeenApplied: mayHaveBeenApplied)
    }

    init(any error: any Error) {
        self = error as? FirestoreError ?? FirestoreError(.unknown, "\(error)")
    }
}
