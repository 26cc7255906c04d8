/// Who wrote: as the kernel says, never as the process says of itself.
package struct Writer: Hashable, Sendable {
    /// The Unix user.
    package let uid: UInt32
    /// The Unix group.
    package let gid: UInt32
    /// The process.
    package let pid: Int32
    /// The system's unit that it was in when it connected, and below a user's manager that user's own.
    package let unit: String?
    /// The program's name, for display only.
    package let program: String?

    /// Describes a writer.
    package init(uid: UInt32, gid: UInt32, pid: Int32, unit: String? = nil, program: String? = nil)
    {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.unit = unit
        self.program = program
    }
}
