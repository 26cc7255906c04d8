/// A part of a backup of all databases of a daemon.
package struct BackupPart: Hashable, Sendable {
    /// The bytes behind the position that was asked for. May be empty while more follows.
    package var data: [UInt8]
    /// Whether another part follows.
    package var hasMore: Bool
    /// How many bytes the backup will have, as far as is known yet.
    package var byteCountExpected: Int
    /// The database whose copy the part ends in, for people; empty in front of the first, and in a file
    /// beside the stores.
    package var database: String

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - data: The bytes behind the position that was asked for. May be empty while more follows.
    ///   - hasMore: Whether another part follows.
    ///   - byteCountExpected: How many bytes the backup will have, as far as is known yet.
    ///   - database: The database whose copy the part ends in, for people; empty in front of the
    ///     first, and in a file beside the stores.
    package init(data: [UInt8], hasMore: Bool, byteCountExpected: Int, database: String) {
        self.data = data
        self.hasMore = hasMore
        self.byteCountExpected = byteCountExpected
        self.database = database
    }
}
