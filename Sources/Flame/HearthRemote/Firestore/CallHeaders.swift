import HearthModel

/// The metadata of every call to one database.
struct CallHeaders: Sendable {
    private let database: DatabaseID
    private let credentials: any Credentials
    /// The daemon's name. The daemon recognises a call that goes in a circle by this name.
    let via: String
    /// The daemons for whom this daemon may be asking.
    let callers = CallerNames()

    /// The client's name and versions.
    static let client = "gl-swift/6.3 fire/0.1.0"
    /// The name of the metadata with the daemons that a call came through.
    static let viaName = "hearth-via"

    init(database: DatabaseID, credentials: any Credentials, via: String) {
        self.database = database
        self.credentials = credentials
        self.via = via
    }

    /// Bytes of the routing fields. Larger headers would break the connection of all calls.
    private static let routingByteCountMax = 8_192

    /// How a call shows who we are.
    ///
    /// - Parameters:
    ///   - user: The user on whose behalf the call is made; `nil` for the user who is signed in.
    ///   - routing: The request's routing fields with their values, unescaped. `nil` if the request
    ///     names the database itself.
    ///   - way: The daemons that passed the call on before this daemon; `nil` for a call of the
    ///     engine, which may serve every daemon that calls here.
    /// - Throws: `invalidArgument` for routing fields that are too long for a header, and what the
    ///   credentials throw.
    func identity(
        as user: UserID?, routing: KeyValuePairs<String, String>? = nil, way: [String]? = nil
    ) async throws(HearthError) -> CallIdentity {
        let routing = routing ?? ["database": database.name]
        let parameters = routing.map { "\($0.key)=\(Self.escaped($0.value))" }
            .joined(separator: "&")
        guard parameters.utf8.count <= Self.routingByteCountMax else {
            throw HearthError(
                code: .invalidArgument,
                message: "The names in the request have \(parameters.utf8.count) bytes in the "
                    + "headers of the call, and may have \(Self.routingByteCountMax).")
        }
        var metadata = [
            (name: "google-cloud-resource-prefix", value: database.name),
            (name: "x-goog-request-params", value: parameters),
            (name: "x-goog-api-client", value: Self.client),
        ]
        let shown = try await credentials.headers(as: user)
        for header in shown { metadata.append((header.name, header.value.revealed)) }
        // As late as possible: a daemon that comes in meanwhile is named as well.
        let way = way ?? callers.known()
        if !via.isEmpty {
            for name in [via] + way { metadata.append((Self.viaName, name)) }
        }
        return CallIdentity(metadata: metadata, shown: shown, way: way)
    }

    /// Tells the credentials whether the backend believed them, if how a call ended shows it.
    func learn(from error: HearthError?, of identity: CallIdentity) async {
        switch error?.code {
        case .unauthenticated: await credentials.refused(identity.shown)
        case nil, .invalidArgument, .notFound, .alreadyExists, .permissionDenied,
            .failedPrecondition, .aborted, .outOfRange, .resourceExhausted:
            await credentials.believed(identity.shown)
        case .ok, .cancelled, .unknown, .deadlineExceeded, .unimplemented, .internalError,
            .unavailable, .dataLoss:
            break  // Perhaps nobody looked at them.
        }
    }

    /// Percent-encodes all but letters, digits, `-._~` and the slash.
    static func escaped(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The identity that one call shows.
struct CallIdentity: Sendable {
    /// All headers of the call.
    var metadata: [(name: String, value: String)]
    /// The headers that the credentials gave.
    let shown: [Header]
    /// The other daemons that the call names.
    let way: [String]
}
