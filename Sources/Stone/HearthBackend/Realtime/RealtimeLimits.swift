import HearthModel

/// What the Realtime Database's servers take at most, as documented of the hosted service.
///
/// The reader of a request checks depth, keys and strings, because the reader knows where the
/// content goes. The shell checks the sizes, because the shell alone sees bytes.
package enum RealtimeLimits {
    /// Bytes of JSON of one write over the protocol.
    package static let wireWriteByteCountMax = 16 * 1_024 * 1_024
    /// Bytes of JSON of one write over REST.
    package static let restWriteByteCountMax = 256 * 1_024 * 1_024
    /// Writes that a connection may leave for its end. A client that leaves more is broken.
    package static let disconnectWriteCountMax = 10_000
    /// Orders of children that a namespace keeps for queries without listeners: each order holds
    /// about 80 bytes for every child.
    package static let keptOrderCountMax = 256
}
