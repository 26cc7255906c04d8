/// What both ends of a session count on.
package enum WireLimits {
    /// Bytes that a frame's `length` may count, 17 MiB. A commit has 10 MiB at most, and the limit
    /// upstream is the same, so whatever the backend sends can be passed on.
    package static let frameByteCountMax = 17 * 1024 * 1024
    /// Bytes of documents after which a snapshot goes on in another frame, 1 MiB: so much does a
    /// small answer wait behind a great one.
    package static let snapshotPartByteCountMax = 1024 * 1024
    /// Bytes of a bundle in one frame, 1 MiB, for the same reason.
    package static let bundlePartByteCountMax = 1024 * 1024
    /// Batches in one page of the queue, and rejected batches in one page of the dead letters.
    package static let pageBatchCountMax = 200
    /// Collections in one page.
    package static let pageCollectionCountMax = 1_000
    /// Bytes of a program's name; the rest is cut off.
    package static let programByteCountMax = 256
}
