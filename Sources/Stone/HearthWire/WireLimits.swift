/// Limits that both ends of a session keep.
package enum WireLimits {
    /// Bytes that a frame's `length` may count, 17 MiB. A commit has 10 MiB at most. The limit for
    /// messages of the backend is the same, so the daemon can pass on every such message.
    package static let frameByteCountMax = 17 * 1024 * 1024
    /// Bytes of documents after which a snapshot goes on in another frame, 1 MiB. A small answer
    /// waits for at most one such part of a great answer.
    package static let snapshotPartByteCountMax = 1024 * 1024
    /// Bytes of a bundle in one frame, 1 MiB, for the same reason.
    package static let bundlePartByteCountMax = 1024 * 1024
    /// Batches in one page of the queue, and rejected batches in one page of the dead letters.
    package static let pageBatchCountMax = 200
    /// Pins or kept places in one frame. A pin has 64 KiB at most, and a place 24 KiB.
    package static let partRowCountMax = 100
    /// Names in one page: of collections, or of the children of a place.
    package static let pageNameCountMax = 1_000
    /// Bytes of a sentence for people, such as an error's message; the rest is cut off. A page of rejected
    /// batches with such messages fits a frame.
    package static let textByteCountMax = 8_192
    /// Bytes of a program's name; the rest is cut off.
    package static let programByteCountMax = 256
}
