/// What a reload of the configuration changed, by the names of the keys.
package struct ReloadReport: Hashable, Sendable {
    /// What counts from now on, for open sessions too.
    package var applied: [String]
    /// What will count after a restart.
    package var needsRestart: [String]

    /// Reports.
    package init(applied: [String], needsRestart: [String]) {
        self.applied = applied
        self.needsRestart = needsRestart
    }
}
