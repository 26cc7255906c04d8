import HearthWire

/// The changes by a reload of the daemon's configuration, as names of the configuration's keys.
public struct ConfigurationChanges: Hashable, Sendable {
    /// The keys whose new values count from now on, also for connected programs.
    public let applied: [String]
    /// The keys whose new values will count after a restart of the daemon.
    public let needsRestart: [String]
}

extension DaemonDatabase {
    /// Lets the daemon read its configuration again.
    ///
    /// Only root and the daemon's own user may do this, unless the daemon's access rules say
    /// otherwise.
    ///
    /// - Throws: `failedPrecondition` with the mistake in the new configuration
    ///   (the old configuration then stays), `permissionDenied` for other users.
    public func reloadDaemonConfiguration() async throws -> ConfigurationChanges {
        let event = try await operatorDesk.ask(.administration(.reload))
        guard case .reloaded(let report) = event else { throw operatorDesk.unexpected(event) }
        return ConfigurationChanges(applied: report.applied, needsRestart: report.needsRestart)
    }
}
