package import HearthModel

/// How a call ends whose client gave it no more time.
package struct LateEnd: Equatable, Sendable {
    /// The error, whose status is `deadlineExceeded`.
    package let error: HearthError
    /// The metadata of the trailers.
    package let trailing: CallMetadata

    /// Ends a call.
    ///
    /// - Parameters:
    ///   - rest: What became of the request, as whole sentences; empty if the service has nothing to
    ///     say.
    ///   - trailing: The metadata of the trailers.
    package init(_ rest: String = "", trailing: CallMetadata = [:]) {
        error = HearthError(
            code: .deadlineExceeded,
            message: "The time that the client gave is over." + (rest.isEmpty ? "" : " \(rest)"))
        self.trailing = trailing
    }
}
