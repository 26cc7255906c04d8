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
    /// Pages in the WAL after which it should begin anew. 24 MiB: a WAL that is written over costs
    /// half the sync of one that grows.
    package static let walRestartPageCount = 6_144
    /// The most pages that a commit copies itself, when the other thread has copied and synced all the
    /// rest, so that the WAL begins anew. About ten milliseconds.
    package static let walRestPageCountMax = 1_600
    /// Pages beyond `walRestartPageCount` for which a pause of the writer, while the other thread copies,
    /// is as long as the group before it.
    static let walPausePageCount = 4_096
    /// The longest pause of a group, in a WAL up to `walPageCountMax`; beyond it in proportion to the
    /// WAL, so that it ends somewhere on any disk.
    static let walPauseMax = Duration.milliseconds(4)
    /// Pages in the WAL for which the longest pause is meant, and beyond which a commit copies them itself
    /// if the other thread cannot. 128 MiB.
    package static let walPageCountMax = 32_768
    /// Copies beside the writer that may fail one after another before the writer makes one.
    static let copyFailureCountMax = 3
    /// The WAL is cut back to this size when it has been copied. A busy writer's does not become longer.
    package static let walByteCountMax = 48 << 20
    /// The most that is cut off at once, because whoever commits then waits for it. Some milliseconds.
    static let walCutByteCountMax: Int64 = 32 << 20
    /// The intake log. Several thousand writes, of which each page of the database is then written once.
    package static let intakeByteCount = 8 << 20
    /// The largest record of the intake log, so that a few groups alone cannot fill it.
    static let intakeRecordByteCountMax = 512 << 10
    /// What most records have room in.
    static let intakeRecordByteCount = 2 << 10
    /// Changed rows that wait in the open transaction. Each may be a page or more that its commit writes,
    /// for which all wait, and is changed anew at an opening after a crash. With two thousand the copying
    /// of pages that several commits wrote took a seventh more of an answer.
    static let intakeWeightMax = 5_000
    /// Bytes that count as much as a changed row does, in rows that are large.
    static let intakeByteCountOfRow = 2 << 10
    /// How long a group waits in the intake log alone, while others follow it.
    package static let intakeAgeMax = Duration.seconds(5)
    /// Commits for which an intake log that failed is left alone.
    static let intakeRestCount = 1_000
    /// How long a reader waits for the open group before it reads what was committed before.
    static let readerWaitMilliseconds = 1_000
    /// How long to wait for a lock that only a passing tool can hold.
    static let busyMilliseconds: Int32 = 1_000
}
