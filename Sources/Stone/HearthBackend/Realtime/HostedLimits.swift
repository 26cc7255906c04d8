/// What the hosted service takes at most besides `RealtimeLimits`, for emulators that are to refuse
/// the same.
///
/// - Source: "Realtime Database Limits" in the documentation.
package struct HostedLimits: Hashable, Sendable {
    /// Bytes of one answer, and of the first data of a listen, by `NodeSize`.
    package var readByteCountMax = 256 * 1_024 * 1_024
    /// Writes to one tree in a minute: a thousand a second.
    package var minuteWriteCountMax = 60_000
    /// Bytes of the writes to one tree in a minute, by `NodeSize`.
    package var minuteWriteByteCountMax = 64 * 1_024 * 1_024

    /// The documented limits.
    package init() {}
}
