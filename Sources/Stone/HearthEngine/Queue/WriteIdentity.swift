/// One write of one client, the same when it is sent again.
package struct WriteIdentity: Hashable, Sendable {
    /// The Unix user that sent it; a client id of another user is another client.
    package let uid: UInt32
    /// The client.
    package let client: ClientID
    /// The client's number for the write, rising.
    package let sequence: UInt64

    /// Names a write.
    package init(uid: UInt32, client: ClientID, sequence: UInt64) {
        self.uid = uid
        self.client = client
        self.sequence = sequence
    }
}

/// A client library's 128 bits of chance, by which its resent writes are known.
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
