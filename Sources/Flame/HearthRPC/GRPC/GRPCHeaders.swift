import HearthModel
import NIOHPACK

/// The headers and trailers of answers.
enum GRPCHeaders {
    /// The headers before the first message.
    static let response: HPACKHeaders = [
        ":status": "200", "content-type": "application/grpc",
    ]

    /// The answer to a request that is no call of gRPC.
    static let notGRPC: HPACKHeaders = [":status": "415"]

    private static let ok: HPACKHeaders = ["grpc-status": "0"]
    private static let onlyOK: HPACKHeaders = [
        ":status": "200", "content-type": "application/grpc", "grpc-status": "0",
    ]

    /// The headers before the first message, with metadata.
    static func response(_ metadata: CallMetadata) -> HPACKHeaders {
        if metadata.isEmpty { return response }
        var headers = response
        add(metadata, to: &headers)
        return headers
    }

    /// The trailers after the last message.
    static func trailers(_ error: HearthError?, _ metadata: CallMetadata = [:]) -> HPACKHeaders {
        if error == nil, metadata.isEmpty { return ok }
        var headers = error == nil ? ok : HPACKHeaders()
        if let error { add(error, to: &headers) }
        add(metadata, to: &headers)
        return headers
    }

    /// The whole answer, if there is no message.
    static func only(_ error: HearthError?, _ metadata: CallMetadata = [:]) -> HPACKHeaders {
        if error == nil, metadata.isEmpty { return onlyOK }
        var headers = error == nil ? onlyOK : response
        if error?.code == .unimplemented {
            headers.add(name: "grpc-accept-encoding", value: ContentCoding.names)
        }
        if let error { add(error, to: &headers) }
        add(metadata, to: &headers)
        return headers
    }

    /// Adds metadata. If details would make the headers too large, the details are left out, so
    /// that the status arrives.
    private static func add(_ metadata: CallMetadata, to headers: inout HPACKHeaders) {
        for entry in metadata.entries {
            if utf8Equals(entry.name, CallMetadata.statusDetails),
                byteCount(of: headers) + byteCount(entry.name, entry.value)
                    > ConnectionLimits.answerHeaderByteCountMax
            {
                continue
            }
            headers.add(name: entry.name, value: entry.value, indexing: .nonIndexable)
        }
    }

    private static func byteCount(of headers: HPACKHeaders) -> Int {
        headers.reduce(0) { $0 + byteCount($1.name, $1.value) }
    }

    /// Bytes of a header, as HTTP/2 counts them.
    private static func byteCount(_ name: String, _ value: String) -> Int {
        name.utf8.count + value.utf8.count + 32
    }

    private static func add(_ error: HearthError, to headers: inout HPACKHeaders) {
        headers.add(name: "grpc-status", value: "\(error.code.rawValue)")
        // Error messages seldom repeat, so they are not worth a place in the header table.
        headers.add(
            name: "grpc-message", value: GRPCStatusText.encode(GRPCStatusText.cut(error.message)),
            indexing: .nonIndexable)
    }
}
