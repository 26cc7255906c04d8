import HearthWire

/// A part of a backup of all databases of the machine's daemon.
public struct DaemonBackupPart: Sendable {
    /// The bytes. They follow the bytes of the part before.
    public let bytes: [UInt8]
    /// How many bytes the backup will have, as far as is known yet.
    public let byteCountExpected: Int
    /// The database whose copy the part ends in; empty in front of the first, and
    /// where the backup holds no database but what the daemon knows of all.
    public let database: String
}

extension DaemonDatabase {
    /// Takes a backup of cache and queue of all databases of the daemon, part by part.
    ///
    /// The daemon goes on meanwhile. Each database is in the backup as it was at one moment, with every
    /// write that was accepted before. The backup is whole once this method returns. Only root and the
    /// daemon's own user may do this, unless the daemon's access rules say otherwise for every
    /// database.
    ///
    /// - Parameter take: Takes the parts, in order. An error ends the backup.
    /// - Throws: `permissionDenied` for other users, `resourceExhausted` while another backup is being
    ///   made, `failedPrecondition` if the daemon keeps nothing on disk, and the error of `take`.
    public func takeDaemonBackup(
        _ take: @Sendable (DaemonBackupPart) throws -> Void
    ) async throws {
        var position = 0
        while true {
            let event = try await operatorDesk.ask(.administration(.backUp(position: position)))
            guard case .backupPart(let part) = event else { throw operatorDesk.unexpected(event) }
            if !part.hasMore { return }
            guard !part.data.isEmpty else { throw operatorDesk.unexpected(event) }
            try take(
                DaemonBackupPart(
                    bytes: part.data, byteCountExpected: part.byteCountExpected,
                    database: part.database))
            position += part.data.count
        }
    }
}
