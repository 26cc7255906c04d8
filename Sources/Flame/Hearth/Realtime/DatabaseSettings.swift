import HearthModel
import HearthWire

/// The daemon and the instance of a `Database`, for programs that name them.
///
///     let database = Database(settings: DatabaseSettings(url: "https://demo.firebaseio.com"))
public struct DatabaseSettings: Hashable, Sendable {
    /// The path of the daemon's socket.
    public var socketPath: String
    /// The address of the instance; `nil` for the daemon's own.
    public var url: String?
    /// The name of an instance that lies where the daemon's own does; `nil` for the daemon's own.
    /// `url` counts before it.
    public var instanceName: String?
    /// The program's name as the daemon shows it to people; `nil` for the name of the executable.
    public var programName: String?
    /// How long a request waits for a connection to the daemon before the request fails with
    /// `unavailable`. Observers, and writes that the daemon has accepted, wait for ever.
    public var connectTimeout: Duration
    /// The program's conditions on the daemon.
    var demands = DaemonDemands(service: .realtime)

    /// The machine's daemon and its instance, unless the parameters say otherwise.
    ///
    /// - Parameters:
    ///   - socketPath: The path of the daemon's socket; `nil` for
    ///     `FirestoreSettings.defaultSocketPath()`.
    ///   - url: The address of the instance; `nil` for the daemon's own.
    ///   - instanceName: The name of an instance beside the daemon's own; `nil` for the daemon's
    ///     own. `url` counts before it.
    ///   - programName: The program's name for people; `nil` for the name of the executable.
    ///   - connectTimeout: How long a request waits for a connection to the daemon.
    public init(
        socketPath: String? = nil, url: String? = nil, instanceName: String? = nil,
        programName: String? = nil, connectTimeout: Duration = .seconds(10)
    ) {
        self.socketPath = socketPath ?? FirestoreSettings.defaultSocketPath()
        self.url = url
        self.instanceName = instanceName
        self.programName = programName
        self.connectTimeout = connectTimeout
    }

    /// The instance, as the daemon is asked for it.
    ///
    /// The program stops if the address or the name is none.
    var choice: Hello.Choice<InstanceID> {
        if let instance { return .exactly(instance) }
        guard let instanceName else { return .standard }
        guard let name = InstanceID.name(instanceName) else {
            preconditionFailure("\"\(instanceName)\" is no name of a Realtime Database")
        }
        return .named(name)
    }

    /// The instance by its address; `nil` without one.
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
