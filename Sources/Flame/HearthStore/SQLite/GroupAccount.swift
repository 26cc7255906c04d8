/// What the open group did so far, as the store asks when it commits it.
struct GroupAccount {
    /// Whether it changed anything.
    var hasChanges = false
    /// What the intake log is told of it.
    var intake = IntakeWriter()
    /// What it stored in rows that are large.
    var bulkByteCount = 0
}
