/// The status codes of gRPC, which tell how a call to Firestore or Hearth ended.
package enum StatusCode: Int32, Hashable, Sendable, CaseIterable {
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
    case internalError = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16

    /// The code's name as gRPC spells it, such as `PERMISSION_DENIED`.
    package var name: String {
        switch self {
        case .ok: "OK"
        case .cancelled: "CANCELLED"
        case .unknown: "UNKNOWN"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .failedPrecondition: "FAILED_PRECONDITION"
        case .aborted: "ABORTED"
        case .outOfRange: "OUT_OF_RANGE"
        case .unimplemented: "UNIMPLEMENTED"
        case .internalError: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .dataLoss: "DATA_LOSS"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }

    /// Whether trying again cannot help, for any call but a write.
    ///
    /// - Source: `firestore-js-sdk` `remote/rpc_error`.
    package var isPermanent: Bool {
        switch self {
        case .ok, .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internalError,
            .unavailable, .unauthenticated:
            false
        case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition,
            .aborted, .outOfRange, .unimplemented, .dataLoss:
            true
        }
    }

    /// Whether a write that ended so is rejected for good. An aborted one is sent again.
    package var isPermanentForWrites: Bool { isPermanent && self != .aborted }
}
