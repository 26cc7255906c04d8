import HearthModel

/// The headers and trailers of answers.
enum GRPCHeaders {
    /// The headers before the first message.
    static let response: HeaderFields = [
        ":status": "200", "content-type": "application/grpc",
    ]

    /// The answer to a request that is no call of gRPC.
    static let notGRPC: HeaderFields = [
        ":status": "415", "content-type": "text/plain; charset=utf-8",
    ]

    /// What the answer to a request that is no call of gRPC says.
    ///
    /// - Parameter contentType: The request's own `content-type`; empty for none.
    static func notGRPCText(_ contentType: String) -> String {
        let found = contentType.isEmpty ? "none" : "\"\(contentType.prefix(100))\""
        return "HTTP/2 is for calls of gRPC here, whose content-type is application/grpc, and the "
            + "request's content-type is \(found). Ask by HTTP/1.1 for everything else, such as "
            + "curl --http1.1.\n"
    }

    private static let ok: HeaderFields = ["grpc-status": "0"]
    private static let onlyOK: HeaderFields = [
        ":status": "200", "content-type": "application/grpc", "grpc-status": "0",
    ]

    /// The headers before the first message, with metadata.
    static func response(_ metadata: CallMetadata) -> HeaderFields {
        if metadata.isEmpty { return response }
        var headers = response
        add(metadata, to: &headers)
        return headers
    }

    /// The trailers after the last message.
    static func trailers(_ error: HearthError?, _ metadata: CallMetadata = [:]) -> HeaderFields {
        if error == nil, metadata.isEmpty { return ok }
        var headers = error == nil ? ok : HeaderFields()
        if let error { add(error, to: &headers) }
        add(metadata, to: &headers)
        return headers
    }

    /// The whole answer, if there is no message.
    static func only(_ error: HearthError?, _ metadata: CallMetadata = [:]) -> HeaderFields {
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
    private static func add(_ metadata: CallMetadata, to headers: inout HeaderFields) {
        for entry in metadata.entries {
            if utf8Equals(entry.name, CallMetadata.statusDetails),
                headers.byteCount
                    + HeaderFields.Field(name: entry.name, value: entry.value).byteCount
                    > ConnectionLimits.answerHeaderByteCountMax
            {
                continue
            }
            headers.add(name: entry.name, value: entry.value)
        }
    }

    private static func add(_ error: HearthError, to headers: inout HeaderFields) {
        headers.add(name: "grpc-status", value: "\(error.code.rawValue)")
        headers.add(
            name: "grpc-message", value: GRPCStatusText.encode(GRPCStatusText.cut(error.message)))
    }
}
