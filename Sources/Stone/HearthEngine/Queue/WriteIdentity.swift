/// Names one write of one client; a resent write keeps its identity.
package struct WriteIdentity: Hashable, Sendable {
    /// The Unix user that sent the write. The same client id under another user is another client.
    package let uid: UInt32
    /// The client.
    package let client: ClientID
    /// The client's number for the write, rising.
    package let sequence: UInt64

    /// Names a write.
    ///
    /// - Parameters:
    ///   - uid: The Unix user that sent the write. The same client id under another user is another
    ///     client.
    ///   - client: The client.
    ///   - sequence: The client's number for the write, rising.
    package init(uid: UInt32, client: ClientID, sequence: UInt64) {
        self.uid = uid
        self.client = client
        self.sequence = sequence
    }
}

/// A client library's 128 random bits, which identify the library when the library resends writes.
package struct ClientID: Hashable, Sendable {
    /// The upper half.
    package let high: UInt64
    /// The lower half.
    package let low: UInt64

    /// Takes both halves.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
