/// Who wrote: as the kernel says, never as the process says of itself.
package struct Writer: Hashable, Sendable {
    /// The Unix user.
    package let uid: UInt32
    /// The Unix group.
    package let gid: UInt32
    /// The process.
    package let pid: Int32
    /// The unit of systemd's system manager in which the process connected.
    ///
    /// Below a user's manager the text also has the user's own unit.
    package let unit: String?
    /// The program's name, for display only.
    package let program: String?

    /// Describes a writer.
    ///
    /// - Parameters:
    ///   - uid: The Unix user.
    ///   - gid: The Unix group.
    ///   - pid: The process.
    ///   - unit: The unit of systemd's system manager in which the process connected; `nil` outside
    ///     units.
    ///   - program: The program's name, for display only; `nil` if the program says none.
    package init(uid: UInt32, gid: UInt32, pid: Int32, unit: String? = nil, program: String? = nil)
    {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.unit = unit
        self.program = program
    }
}
