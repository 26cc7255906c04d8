package import HearthModel

/// A `google.rpc.ErrorInfo`: the machine's word of why a call failed, beside the text for people.
///
/// - Source: `google/rpc/error_details.proto`.
package struct ErrorInfo: Hashable, Sendable {
    private static let typeURL = "type.googleapis.com/google.rpc.ErrorInfo"

    /// The reason in capital letters and underscores, unique in its domain.
    package let reason: String
    /// Who defines the reason.
    package let domain: String
    /// What else a machine may want to know, by name.
    package let metadata: [String: String]

    /// Joins the parts.
    ///
    /// - Parameters:
    ///   - reason: The reason in capital letters and underscores, unique in its domain.
    ///   - domain: Who defines the reason.
    ///   - metadata: What else a machine may want to know, by name.
    package init(reason: String, domain: String, metadata: [String: String] = [:]) {
        self.reason = reason
        self.domain = domain
        self.metadata = metadata
    }

    /// The `google.rpc.Status` of an error with this one detail: what `grpc-status-details-bin` holds.
    ///
    /// Shape: 1 code varint | 2 message | 3 details { 1 type URL | 2 ErrorInfo }.
    package func status(of error: HearthError) -> [UInt8] {
        var writer = WireWriter(capacity: 256)
        writer.varint(1, UInt64(error.code.rawValue))
        writer.string(2, error.message)
        let detail = writer.begin(3)
        writer.string(1, Self.typeURL)
        let info = writer.begin(2)
        write(to: &writer)
        writer.end(info)
        writer.end(detail)
        return writer.bytes
    }

    /// Shape: 1 reason | 2 domain | 3 entries { 1 name | 2 value }.
    private func write(to writer: inout WireWriter) {
        writer.string(1, reason)
        writer.string(2, domain)
        for (name, value) in metadata.sorted(by: { utf8Precedes($0.key, $1.key) }) {
            let entry = writer.begin(3)
            writer.string(1, name)
            writer.string(2, value)
            writer.end(entry)
        }
    }
}
