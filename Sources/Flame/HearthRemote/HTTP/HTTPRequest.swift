/// One question by HTTP/1.1.
///
/// Prints its method and place, never its query, headers or body.
struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    let address: WebAddress
    /// The socket of this machine at which the server listens instead of at the address's host.
    private(set) var socketPath: String?
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []

    /// Asks for what is at an address.
    ///
    /// - Parameter socketPath: The Unix socket at which the server listens; `nil` for a server at a
    ///   port.
    static func get(
        _ address: WebAddress, headers: [(name: String, value: String)] = [],
        socketPath: String? = nil
    ) -> HTTPRequest {
        HTTPRequest(method: .get, address: address, socketPath: socketPath, headers: headers)
    }

    /// Posts fields as a form.
    static func post(
        _ address: WebAddress, form: KeyValuePairs<String, String>
    ) -> HTTPRequest {
        HTTPRequest(
            method: .post, address: address,
            headers: [("content-type", "application/x-www-form-urlencoded")],
            body: FormEncoding.encode(form))
    }

    /// Posts bytes that are JSON.
    static func post(_ address: WebAddress, json: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: .post, address: address, headers: [("content-type", "application/json")],
            body: json)
    }

    var description: String { "\(method.rawValue) \(address)" }

    var customMirror: Mirror { Mirror(description, children: []) }
}

/// The answer to a question by HTTP. Prints its status and size only.
struct HTTPAnswer: Sendable, CustomStringConvertible, CustomReflectable {
    /// The status, such as 200.
    let status: Int
    /// The headers, names in lower case.
    let headers: [String: String]
    let body: [UInt8]

    /// Whether the question was answered as hoped.
    var isSuccess: Bool { (200..<300).contains(status) }

    var description: String { "\(status), \(body.count) bytes" }

    var customMirror: Mirror { Mirror(description, children: []) }
}
