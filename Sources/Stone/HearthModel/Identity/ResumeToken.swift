/// Where the backend should resume a target. Opaque, never empty.
package struct ResumeToken: Hashable, Sendable {
    /// The backend's bytes.
    package let bytes: [UInt8]

    /// Returns `nil` for the empty token: in the protocol, an empty token means "no news".
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }
}
