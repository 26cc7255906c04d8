import GRPCCore
import GRPCNIOTransportHTTP2Posix
package import HearthModel
import HearthProtocol
import Logging

/// The connection to one database's backend: HTTP/2, kept open while there are calls.
///
/// The channel reconnects by itself, at most a second after a failure. Whether and when to call
/// again is the engine's business, so a call on a broken connection fails at once instead of
/// waiting.
package final class FirestoreChannel: Sendable {
    /// How the connection is protected.
    package enum Security: Hashable, Sendable {
        /// No protection, for emulators and sockets of this machine.
        case plaintext
        /// TLS.
        ///
        /// - `trust`: Who vouches for the backend.
        /// - `serverName`: The backend's name in the certificate, if the name is not the address's
        ///   host.
        case tls(trusting: TrustedCertificates = .system, serverName: String? = nil)
    }

    /// The parts that a channel needs.
    package struct Configuration: Sendable {
        /// The database.
        package let database: DatabaseID
        /// Where the backend listens.
        package let address: BackendAddress
        /// How the connection is protected.
        package let security: Security
        /// Who we are.
        package let credentials: any Credentials
        /// Is told of a failure that waiting does not cure, such as a certificate that nobody
        /// vouches for, each time; and with `nil` of each call that the backend answered.
        package let watch: @Sendable (HearthError?) -> Void
        /// The daemon's name in the metadata `hearth-via` of every call; empty for no such metadata.
        package var via = ""

        /// Joins the parts. An emulator is reached in plaintext.
        package init(
            database: DatabaseID, address: BackendAddress, security: Security,
            credentials: any Credentials,
            watch: @escaping @Sendable (HearthError?) -> Void = { _ in }
        ) {
            self.database = database
            self.address = address
            self.security = security
            self.credentials = credentials
            self.watch = watch
        }
    }

    /// The database at the other end.
    package let database: DatabaseID
    let codec: FirestoreCodec
    private let watch: @Sendable (HearthError?) -> Void
    let headers: CallHeaders
    let client: GRPCClient<HTTP2ClientTransport.Posix>
    let backend: ProtoFirestore.Client<HTTP2ClientTransport.Posix>

    /// Prepares a connection; `run` makes it.
    ///
    /// - Throws: `HearthError` `failedPrecondition` if the certificates cannot be read.
    package init(_ configuration: Configuration) throws(HearthError) {
        database = configuration.database
        codec = FirestoreCodec(database: configuration.database)
        headers = CallHeaders(
            database: configuration.database, credentials: configuration.credentials,
            via: configuration.via)
        watch = configuration.watch
        do {
            client = GRPCClient(transport: try Self.transport(configuration))
        } catch {
            throw HearthError(
                code: .failedPrecondition,
                message: "No connection to \(configuration.address) can be prepared: \(error)"
                    + configuration.security.cure)
        }
        backend = ProtoFirestore.Client(wrapping: client)
    }

    /// Keeps the connection until `shutDown`, or until the task is cancelled.
    ///
    /// - Throws: Why the connection could not be kept.
    package func run() async throws(HearthError) {
        do {
            try await client.runConnections()
        } catch {
            throw HearthError(error)
        }
    }

    /// Refuses new calls, lets the running calls end, then lets `run` return.
    package func shutDown() {
        client.beginGracefulShutdown()
    }
}

extension FirestoreChannel {
    /// The backend answered a call, and so it believes who we are.
    func answered(_ identity: CallIdentity) async {
        watch(nil)
        await headers.learn(from: nil, of: identity)
    }

    /// A call ended with an error.
    func ended(_ error: HearthError, showing identity: CallIdentity) async {
        if error.isCertificateFailure { watch(error) }
        await headers.learn(from: error, of: identity)
    }
}

extension FirestoreChannel.Security {
    /// The advice if no connection can be prepared.
    fileprivate var cure: String {
        switch self {
        case .tls(.file(let path), _):
            ". Check that \(path) holds certificates in PEM and can be read."
        case .plaintext, .tls(.system, _): ""
        }
    }
}

/// Limits and times of a channel.
package enum ChannelLimits {
    /// The largest message either way: what the SDKs allow. Firestore's requests stay below 10 MiB.
    package static let messageByteCountMax = 17 << 20
    /// How often a silent connection is asked whether it lives, while there are calls.
    package static let keepalivePeriod = Duration.seconds(30)
    /// How long its answer may take.
    package static let keepaliveTimeout = Duration.seconds(10)
    /// The longest pause between two attempts to connect. The engine's own back-off is what counts.
    package static let reconnectPauseMax = Duration.seconds(1)
    /// How long a call that is no stream may take.
    package static let callTimeout = Duration.seconds(60)
    /// How long a stream may take to end after our goodbye.
    package static let goodbyeTimeout = Duration.seconds(5)
}

extension FirestoreChannel {
    private static func transport(
        _ configuration: Configuration
    ) throws -> HTTP2ClientTransport.Posix {
        let target: any ResolvableTarget =
            switch configuration.address {
            case .tcp(let host, let port): .dns(host: host, port: port)
            // A path is no authority, and some servers check it.
            case .unix(let path): .unixDomainSocket(path: path, authority: "localhost")
            }
        let security: HTTP2ClientTransport.Posix.TransportSecurity
        var authority: String?
        switch configuration.security {
        case .plaintext:
            security = .plaintext
        case .tls(let trust, let serverName):
            security = .tls { $0.trustRoots = trust.roots }
            authority = serverName
        }
        return try HTTP2ClientTransport.Posix(
            target: target,
            transportSecurity: security,
            config: .defaults { config in
                config.http2.authority = authority
                config.backoff.initial = .milliseconds(100)
                config.backoff.max = ChannelLimits.reconnectPauseMax
                config.backoff.jitter = 0  // Of itself it could exceed the maximum.
                config.connection.keepalive = .init(
                    time: ChannelLimits.keepalivePeriod, timeout: ChannelLimits.keepaliveTimeout,
                    allowWithoutCalls: false)
            })
    }

    /// The options of a stream: no deadline.
    static var streamOptions: CallOptions {
        var options = CallOptions.defaults
        options.maxRequestMessageBytes = ChannelLimits.messageByteCountMax
        options.maxResponseMessageBytes = ChannelLimits.messageByteCountMax
        options.waitForReady = false
        return options
    }

    /// The options of a call that is no stream.
    static var callOptions: CallOptions {
        var options = streamOptions
        options.timeout = ChannelLimits.callTimeout
        return options
    }
}
