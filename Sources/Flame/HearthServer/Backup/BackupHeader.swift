package import HearthModel

/// What a backup file says of itself.
package struct BackupHeader: Hashable, Sendable {
    /// The first bytes of every backup. The end of the line finds files that were changed as text.
    static let magic = Array("HEARTH-BACKUP\r\n\u{1A}".utf8)
    /// The version of the form that this program writes. The program reads no later version.
    static let version: Int64 = 1

    /// A random number that every block of the file answers to.
    package let salt: UInt64
    /// When the backup was begun.
    package let time: Timestamp
    /// The name of the machine, for people.
    package let machine: String
    /// The version of the daemon that made it.
    package let daemonVersion: String

    /// Describes a backup.
    ///
    /// - Parameters:
    ///   - salt: A random number that every block of the file answers to.
    ///   - time: When the backup was begun.
    ///   - machine: The name of the machine, for people.
    ///   - daemonVersion: The version of the daemon that makes the backup.
    package init(salt: UInt64, time: Timestamp, machine: String, daemonVersion: String) {
        self.salt = salt
        self.time = time
        self.machine = machine
        self.daemonVersion = daemonVersion
    }

    var fields: [UInt8] {
        var fields = BackupFields()
        fields.append(Self.version)
        fields.append(Int64(bitPattern: salt))
        fields.append(time.seconds)
        fields.append(machine)
        fields.append(daemonVersion)
        return fields.bytes
    }

    /// - Throws: `BackupError` for a header of a later program, or of none.
    init(_ bytes: [UInt8]) throws(BackupError) {
        var fields = BackupFields(bytes)
        guard let version = fields.number() else { throw .damaged("its header is short") }
        guard version == Self.version else {
            throw .foreign("it has form \(version), and this program reads \(Self.version)")
        }
        guard let salt = fields.number(), let seconds = fields.number(),
            let machine = fields.text(), let daemonVersion = fields.text(), fields.isAtEnd
        else { throw .damaged("its header is short") }
        self.salt = UInt64(bitPattern: salt)
        time = Timestamp(seconds: min(max(seconds, 0), 253_402_300_799), nanoseconds: 0)
        self.machine = machine
        self.daemonVersion = daemonVersion
    }
}
