/// What the open group did so far, as the store asks when it commits it.
package struct GroupAccount {
    /// Whether it changed anything.
    package var hasChanges = false
    /// What the intake log is told of it.
    package var intake = IntakeWriter()
    /// What it stored in rows that are large.
    package var bulkByteCount = 0

    /// Of a group that did nothing yet.
    package init() {}
}
