import HearthModel
import HearthProtocol
import HearthRPC

/// Why the gateway itself refuses a call: a status with a text for people, and a reason for machines.
///
/// Google's clients show the reason like the reason of any `google.rpc.ErrorInfo`, here of the
/// domain `hearth`: `exception.reason` in Python.
struct GatewayError: Error, Hashable, Sendable {
    /// The reasons, as `ErrorInfo` spells them.
    enum Reason: String, CaseIterable, Sendable {
        /// The backend cannot be reached, and the call needs the backend.
        case offline = "HEARTH_OFFLINE"
        /// The backend cannot be reached, and the cache does not know what is asked for.
        case notCached = "HEARTH_NOT_CACHED"
        /// The backend cannot be reached, and only the backend can do what is asked for.
        case needsBackend = "HEARTH_NEEDS_BACKEND"
        /// Too much waits for the backend.
        case queueFull = "HEARTH_QUEUE_FULL"
        /// The access rules forbid the call.
        case access = "HEARTH_ACCESS"
        /// The daemon serves another project.
        case wrongProject = "HEARTH_WRONG_PROJECT"
    }

    /// Who defines the reasons.
    static let domain = "hearth"

    /// The status and the text.
    let error: HearthError
    /// The reason.
    let reason: Reason

    /// Gives an error a reason.
    init(_ error: HearthError, because reason: Reason) {
        self.error = error
        self.reason = reason
    }

    /// The metadata that carries the reason beside the status.
    var trailing: CallMetadata {
        var metadata = CallMetadata()
        // With a long text the details would be too long to be sent.
        let told = HearthError(code: error.code, message: GRPCStatusText.cut(error.message))
        metadata.add(
            CallMetadata.statusDetails,
            bytes: ErrorInfo(reason: reason.rawValue, domain: Self.domain).status(of: told))
        return metadata
    }
}

extension GatewayError {
    /// Refuses what needs a backend that cannot be reached.
    ///
    /// - Parameters:
    ///   - what: What needs the backend, at the head of a sentence.
    ///   - code: `gateway.offlineStatus`.
    ///   - cause: What the last attempt to reach the backend showed, if that is known.
    static func offline(
        _ what: String, as code: StatusCode, because cause: HearthError? = nil
    ) -> GatewayError {
        let known = cause.map { " \($0.message)" } ?? ""
        return GatewayError(
            HearthError(
                code: code,
                message: "\(what) needs the backend, which cannot be reached now.\(known) Reads of "
                    + "what is cached and writes without a transaction work offline."),
            because: .offline)
    }

    /// Refuses what only the backend can do, while it cannot be reached.
    ///
    /// - Parameter what: What only the backend can do, at the head of a sentence.
    static func needsBackend(_ what: String, as code: StatusCode) -> GatewayError {
        GatewayError(
            HearthError(
                code: code,
                message: "\(what) is done by the backend alone, which cannot be reached now. Ask "
                    + "again when the machine is online."),
            because: .needsBackend)
    }
}

extension GatewayCall {
    /// Refuses the call for a reason of the gateway's own.
    func fail(_ error: GatewayError) {
        stream.end(error.error, error.trailing)
    }
}
