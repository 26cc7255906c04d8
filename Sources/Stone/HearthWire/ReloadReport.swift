/// The changes by a reload of the configuration, as names of the configuration's keys.
package struct ReloadReport: Hashable, Sendable {
    /// The keys whose new values count from now on, also for open sessions.
    package var applied: [String]
    /// The keys whose new values will count after a restart.
    package var needsRestart: [String]

    /// Takes the parts.
    package init(applied: [String], needsRestart: [String]) {
        self.applied = applied
        self.needsRestart = needsRestart
    }
}
