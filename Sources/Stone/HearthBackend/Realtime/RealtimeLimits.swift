import HearthModel

/// What the Realtime Database's servers take at most, as documented of the hosted service.
///
/// Depth, keys and strings are held to by whoever reads a request, who knows where it is to be put;
/// the sizes by the shell, which alone sees bytes.
package enum RealtimeLimits {
    /// Bytes of JSON of one write over the protocol.
    package static let wireWriteByteCountMax = 16 * 1_024 * 1_024
    /// Bytes of JSON of one write over REST.
    package static let restWriteByteCountMax = 256 * 1_024 * 1_024
    /// Bytes of JSON of one answer.
    package static let readByteCountMax = 256 * 1_024 * 1_024
    /// Writes that one connection may leave for its end. A client that leaves more is broken.
    package static let disconnectWriteCountMax = 10_000
    /// Orders of children that are kept in one namespace for queries that nobody listens to: each
    /// holds about 80 bytes for every child.
    package static let keptOrderCountMax = 256
}
