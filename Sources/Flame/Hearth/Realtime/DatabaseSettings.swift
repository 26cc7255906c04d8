import HearthModel

/// The daemon and the instance of a `Database`, for programs that name them.
///
///     let database = Database(settings: DatabaseSettings(url: "https://demo.firebaseio.com"))
public struct DatabaseSettings: Hashable, Sendable {
    /// The path of the daemon's socket.
    public var socketPath: String
    /// The address of the instance; `nil` for the daemon's own.
    public var url: String?
    /// The program's name as the daemon shows it to people; `nil` for the name of the executable.
    public var programName: String?
    /// How long a request waits for a connection to the daemon before the request fails with
    /// `unavailable`. Observers, and writes that the daemon has accepted, wait for ever.
    public var connectTimeout: Duration
    /// The program's conditions on the daemon.
    var demands = DaemonDemands(service: .realtime)

    /// The machine's daemon and its instance, unless the parameters say otherwise.
    ///
    /// - Parameter socketPath: `nil` for `FirestoreSettings.defaultSocketPath()`. The properties
    ///   explain the other parameters.
    public init(
        socketPath: String? = nil, url: String? = nil, programName: String? = nil,
        connectTimeout: Duration = .seconds(10)
    ) {
        self.socketPath = socketPath ?? FirestoreSettings.defaultSocketPath()
        self.url = url
        self.programName = programName
        self.connectTimeout = connectTimeout
    }

    /// The instance; `nil` for the daemon's own.
    ///
    /// The program stops if the address is none.
    var instance: InstanceID? {
        guard let url else { return nil }
        guard let instance = InstanceID(url: url) else {
            preconditionFailure(
                "\"\(url)\" is no address of a Realtime Database, such as "
                    + "https://demo-default-rtdb.firebaseio.com")
        }
        return instance
    }
}
