/// What the open group did so far; the store reads the account at the commit.
package struct GroupAccount {
    /// Whether the group changed anything.
    package var hasChanges = false
    /// The entries that tell the intake log of the group.
    package var intake = IntakeWriter()
    /// How many bytes the group stored in large rows.
    package var bulkByteCount = 0

    /// The account of a group that did nothing yet.
    package init() {}
}
