import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import NIOPosix
import NIOSSL

/// The connection to one database's backend: HTTP/2, made with the first call and kept open.
///
/// A call on a broken connection fails at once instead of waiting, and the next call a second later
/// at most makes a new one. Whether and when to call again is the engine's business.
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
        /// vouches for or a backend that leads back to this daemon, each time; and with `nil` of
        /// each call that the backend answered.
        package let watch: @Sendable (HearthError?) -> Void
        /// The daemon's name in the metadata `hearth-via` of every call; empty for no such metadata.
        package var via = ""

        /// Joins the parts. An emulator is reached in plaintext.
        ///
        /// - Parameters:
        ///   - database: The database.
        ///   - address: Where the backend listens.
        ///   - security: How the connection is protected.
        ///   - credentials: Who we are.
        ///   - watch: Hears each failure that waiting does not cure, and `nil` for each call that
        ///     the backend answered.
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
    let client: ClientChannel

    /// Prepares a connection, which the first call makes.
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
            client = ClientChannel(
                try Self.client(configuration), on: MultiThreadedEventLoopGroup.singleton.next())
        } catch {
            throw HearthError(
                code: .failedPrecondition,
                message: "No connection to \(configuration.address) can be prepared: \(error)"
                    + configuration.security.cure)
        }
    }

    /// Refuses new calls, lets the running calls end, then closes the connection.
    package func shutDown() {
        client.shutDown()
    }

    /// Ends all calls and closes the connection.
    package func close() {
        client.close()
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
        if error.isCircle { watch(.backendLeadsBack) }
        await headers.learn(from: error, of: identity)
    }
}

extension HearthError {
    /// What operators are told of a call that came back to a daemon that had passed the call on.
    fileprivate static let backendLeadsBack = HearthError(
        code: .failedPrecondition,
        message: "The backend is a daemon whose own backend leads back to a daemon on the way, so "
            + "that there is no backend. Everything works as offline. Look at upstream.emulator and "
            + "FIRESTORE_EMULATOR_HOST of each of these daemons.")
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
    /// How long a connection may take, TLS and HTTP/2's first words included.
    static let connectTimeout = TimeAmount.seconds(20)
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
    /// The head of a call.
    ///
    /// - Parameter timeout: How long the call may take; `nil` for a stream, which has no deadline.
    static func request(
        _ path: String, showing identity: CallIdentity, timeout: Duration? = nil
    ) -> CallRequest {
        CallRequest(path, metadata: identity.metadata, timeout: timeout.map { TimeAmount($0) })
    }

    private static func client(_ configuration: Configuration) throws -> ClientConfiguration {
        let address = configuration.address
        var tls: (context: NIOSSLContext, serverName: String?)?
        var authority = address.authority
        if case .tls(let trust, let serverName) = configuration.security {
            tls = (try trust.context(speaking: ["h2"]), serverName ?? address.serverName)
            if let serverName { authority = serverName }
        }
        var client = ClientConfiguration(
            authority: authority, isSecure: tls != nil, name: "backend at \(address)"
        ) { [tls] loop, initializer in
            let bootstrap = ClientBootstrap(group: loop)
                .connectTimeout(ChannelLimits.connectTimeout)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(
                                    context: tls.context, serverHostname: tls.serverName))
                        }
                        try initializer(channel)
                    }
                }
            // All addresses of a name are tried.
            return switch address {
            case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
            case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        }
        client.explain = { HearthError.words(of: $0) }
        client.messageByteCountMax = ChannelLimits.messageByteCountMax
        client.connectTimeout = ChannelLimits.connectTimeout
        client.pauseMax = TimeAmount(ChannelLimits.reconnectPauseMax)
        client.keepalivePeriod = TimeAmount(ChannelLimits.keepalivePeriod)
        client.keepaliveTimeout = TimeAmount(ChannelLimits.keepaliveTimeout)
        return client
    }
}

extension BackendAddress {
    /// The address as a server expects it in a call. A path is no authority, and some servers check
    /// it.
    fileprivate var authority: String {
        switch self {
        case .tcp: description
        case .unix: "localhost"
        }
    }
}
