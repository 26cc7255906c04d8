import HearthWire

/// What a reload of the daemon's configuration changed, by the names of its keys.
public struct ConfigurationChanges: Hashable, Sendable {
    /// What counts from now on, for programs that are connected too.
    public let applied: [String]
    /// What will count after a restart of the daemon.
    public let needsRestart: [String]
}

extension Firestore {
    /// Has the daemon read its configuration again. Only root and the daemon's own user may, unless
    /// its access rules say otherwise.
    ///
    /// - Throws: `FirestoreError` `failedPrecondition`, with what is wrong with the new
    ///   configuration; the old one then goes on to count.
    public func reloadDaemonConfiguration() async throws -> ConfigurationChanges {
        let event = try await request(.administration(.reload))
        guard case .reloaded(let report) = event else { throw Self.unexpected(event) }
        return ConfigurationChanges(applied: report.applied, needsRestart: report.needsRestart)
    }
}
