package import NIOCore

/// The method, caller and headers of a call, known before its first message.
package struct CallHead: Sendable {
    /// The called method.
    package let method: CallMethod
    /// The header `authorization`, which names the caller; `nil` if the header is absent.
    package let authorization: String?
    /// How long the client waits, counted from when the headers came; `nil` for ever.
    package let timeout: TimeAmount?
    private let headers: HeaderFields

    /// A call whose headers came.
    ///
    /// - Parameters:
    ///   - method: The called method.
    ///   - authorization: The header `authorization`, which names the caller; `nil` if the header
    ///     is absent.
    ///   - timeout: How long the client waits, counted from when the headers came; `nil` for ever.
    ///   - headers: All headers of the call, searched only if the service asks for metadata.
    package init(
        _ method: CallMethod, authorization: String? = nil, timeout: TimeAmount? = nil,
        headers: HeaderFields = HeaderFields()
    ) {
        self.method = method
        self.authorization = authorization
        self.timeout = timeout
        self.headers = headers
    }

    /// The first value of the metadata of a name, such as `hearth-consistency`; `nil` if there is none.
    package func metadata(_ name: String) -> String? { headers.first(name: name) }

    /// All values of the metadata of a name, in the order of the headers.
    package func values(of name: String) -> [String] { headers[name] }

    /// All metadata whose names begin with `prefix`, in the order of the headers.
    package func metadata(prefix: String) -> CallMetadata {
        var found = CallMetadata()
        for field in headers where field.name.utf8.starts(with: prefix.utf8) {
            found.add(field.name, field.value)
        }
        return found
    }
}
