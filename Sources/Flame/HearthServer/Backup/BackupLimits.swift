/// The limits of backups.
package enum BackupLimits {
    /// Databases in one backup, more than a daemon can have.
    package static let entryCountMax = 100_000
    /// Bytes of one entry: as many as SQLite's largest file of this store's pages, 16 TiB.
    package static let entryByteCountMax = 1 << 44
    /// Bytes of the orders to keep places.
    static let keptPlacesByteCountMax = 16 << 20
    /// How long a client may take to ask for the next part.
    static let pauseMax = Duration.seconds(120)
}
