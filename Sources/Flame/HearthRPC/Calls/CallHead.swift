package import NIOCore
package import NIOHPACK

/// What a call says before its first message.
package struct CallHead: Sendable {
    /// What is called.
    package let method: CallMethod
    /// Who calls, as the header `authorization` has it; `nil` if the caller does not say.
    package let authorization: String?
    /// How long the client waits, counted from when the headers came; `nil` for ever.
    package let timeout: TimeAmount?
    private let headers: HPACKHeaders

    /// A call whose headers came.
    ///
    /// - Parameter headers: All of them. They are searched only if the service asks for one.
    package init(
        _ method: CallMethod, authorization: String? = nil, timeout: TimeAmount? = nil,
        headers: HPACKHeaders = [:]
    ) {
        self.method = method
        self.authorization = authorization
        self.timeout = timeout
        self.headers = headers
    }

    /// The first value of the metadata of a name, such as `hearth-consistency`; `nil` if there is none.
    package func metadata(_ name: String) -> String? { headers.first(name: name) }

    /// All metadata whose names begin so, in their order.
    package func metadata(prefix: String) -> CallMetadata {
        var found = CallMetadata()
        for (name, value, _) in headers where name.utf8.starts(with: prefix.utf8) {
            found.add(name, value)
        }
        return found
    }
}
