/// The limits of every store. Contents add their own.
package enum StoreLimits {
    /// The writer's page cache. Bulk writes in random order need most of a cache's pages at hand.
    package static let pageCacheByteCount = 64 << 20
    /// A reader's page cache.
    package static let readerPageCacheByteCount = 8 << 20
    /// Reading connections kept open while nobody reads.
    package static let idleReaderCountMax = 4
    /// Pages in the WAL after which another thread copies them into the file. 12 MiB: a page
    /// that many commits write is copied once.
    package static let checkpointPageCount = 3_000
    /// Pages in the WAL after which the WAL should begin anew.
    ///
    /// 24 MiB: syncing a WAL that is written over costs half as much as syncing a WAL that grows.
    package static let walRestartPageCount = 6_144
    /// The most pages that a commit copies itself, when the other thread has copied and synced all the
    /// rest, so that the WAL begins anew. About ten milliseconds.
    package static let walRestPageCountMax = 1_600
    /// Pages beyond `walRestartPageCount` for which a pause of the writer, while the other thread copies,
    /// is as long as the group before it.
    static let walPausePageCount = 4_096
    /// The longest pause of a group, in a WAL up to `walPageCountMax`.
    ///
    /// In a longer WAL the pause grows in proportion to the WAL, so that the WAL stops growing on
    /// any disk.
    static let walPauseMax = Duration.milliseconds(4)
    /// Pages in the WAL beyond which a pause may be longer than `walPauseMax`.
    ///
    /// 128 MiB. Beyond this size a commit also copies the pages itself if the other thread cannot.
    package static let walPageCountMax = 32_768
    /// How many copies beside the writer may fail in a row before the writer makes a copy itself.
    static let copyFailureCountMax = 3
    /// The WAL is cut back to this size after a complete copy.
    ///
    /// The WAL of a busy writer does not become longer.
    package static let walByteCountMax = 48 << 20
    /// The most bytes that are cut off at once, because a commit waits for the cut.
    ///
    /// Some milliseconds.
    static let walCutByteCountMax: Int64 = 32 << 20
    /// The size of the intake log of a store with much to do.
    ///
    /// The log holds several thousand writes, and their commit writes each page of the database
    /// once.
    package static let intakeByteCount = 8 << 20
    /// The most that is read of a file in the place of an intake log: no log was ever longer.
    static let intakeReadByteCountMax = 64 << 20
    /// How much of a WAL is looked through that has no frame of the present WAL.
    ///
    /// Much more than the WAL of before leaves behind (`walByteCountMax`): a longer file has another
    /// author.
    static let walStrangeByteCountMax = 256 << 20
    /// The size of the intake log that a store begins with: some hundred writes.
    package static let smallIntakeByteCount = 256 << 10
    /// The largest record of the intake log. The limit keeps a few groups from filling the log.
    static let intakeRecordByteCountMax = 512 << 10
    /// The size that most records fit into.
    static let intakeRecordByteCount = 2 << 10
    /// Changed rows that wait in the open transaction.
    ///
    /// Each row may be a page or more that the commit writes while all wait. An opening after a
    /// crash changes each row anew. With two thousand rows the copying of pages that several
    /// commits wrote took a seventh more of an answer.
    static let intakeWeightMax = 5_000
    /// Bytes that count as much as a changed row does, in rows that are large.
    static let intakeByteCountOfRow = 2 << 10
    /// How long a group waits in the intake log alone, while others follow it.
    package static let intakeAgeMax = Duration.seconds(5)
    /// Commits for which an intake log that failed is left alone, or a small log is not made full
    /// after the disk refused that.
    static let intakeRestCount = 1_000
    /// How long a reader waits for the open group before reading the commits before the group.
    static let readerWaitMilliseconds = 1_000
    /// How long to wait for a lock that only a passing tool can hold.
    static let busyMilliseconds: Int32 = 1_000
}
