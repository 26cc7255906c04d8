import Hearth

/// Why a command ends: one line that names the event, the object and a remedy.
struct Failure: Error, Hashable, CustomStringConvertible {
    /// The exit status of the process.
    let status: CommandStatus
    /// The line for standard error; `nil` if the command has printed everything.
    let message: String?

    /// Ends with a message.
    init(_ status: CommandStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Ends without another word.
    init(silently status: CommandStatus) {
        self.status = status
        message = nil
    }

    var description: String { message ?? "" }
}

extension Failure {
    /// What an error of the database means for a command.
    ///
    /// - Parameter source: Where the command reads; `nil` if it does not.
    init(_ error: FirestoreError, doing what: String, reading source: FirestoreSource? = nil) {
        let status: CommandStatus =
            switch error.code {
            case .unavailable, .resourceExhausted, .aborted: .tryAgain
            case .permissionDenied, .unauthenticated: .noAccess
            case .deadlineExceeded: .timedOut
            case .ok, .cancelled, .unknown, .invalidArgument, .notFound, .alreadyExists,
                .failedPrecondition, .outOfRange, .unimplemented, .internal, .dataLoss:
                .failed
            }
        let hint =
            switch error.code {
            case .unavailable:
                switch source {
                case .server?:
                    " \"hearth status\" says more; --source cache reads what is here."
                case .default?, .cache?, nil:
                    error.message.contains("hearth status") ? "" : " \"hearth status\" says more."
                }
            case .ok, .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound,
                .alreadyExists, .permissionDenied, .resourceExhausted, .failedPrecondition,
                .aborted, .outOfRange, .unimplemented, .internal, .dataLoss, .unauthenticated:
                ""
            }
        let fate = error.mayHaveBeenApplied ? " It may have taken effect all the same." : ""
        self.init(status, "Cannot \(what): \(error)\(fate)\(hint)".oneLine)
    }
}

extension String {
    /// The text with line breaks made spaces.
    var oneLine: String {
        String(map { $0.isNewline ? " " : $0 })
    }
}
