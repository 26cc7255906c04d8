package import HearthEngine
package import HearthModel

/// The client's first message, with the client's versions, its identity and its database.
package struct Hello: Hashable, Sendable {
    /// A client's 128 random bits. The daemon recognises resent writes by the bits.
    package struct Client: Hashable, Sendable {
        /// The upper half.
        package let high: UInt64
        /// The lower half.
        package let low: UInt64

        /// Takes both halves; both zero for a client that never sends a write again.
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// A client that never sends a write again.
        package static let anonymous = Client(high: 0, low: 0)
    }

    /// The database that a client asks for.
    package enum Database: Hashable, Sendable {
        /// A Firestore database.
        case firestore(Choice<DatabaseID>)
        /// An instance of the Realtime Database.
        case realtime(Choice<InstanceID>)
    }

    /// One of the databases of a kind.
    package enum Choice<ID: Hashable & Sendable>: Hashable, Sendable {
        /// The daemon's default.
        case standard
        /// The database of this name, where the daemon has its default.
        case named(String)
        /// This database.
        case exactly(ID)
    }

    /// The versions of the protocol that the client speaks.
    package var versions: ClosedRange<UInt32>
    /// The client.
    package var client: Client
    /// The program's name, for display only.
    package var program: String
    /// The session's database.
    package var database: Database
    /// The client has the last answers to all its writes below this number.
    package var answeredBelow: UInt64

    /// The versions that this library speaks.
    package static let supportedVersions: ClosedRange<UInt32> = 1...1

    /// Takes the parts.
    package init(
        versions: ClosedRange<UInt32> = Hello.supportedVersions, client: Client, program: String,
        database: Database = .firestore(.standard), answeredBelow: UInt64 = 0
    ) {
        self.versions = versions
        self.client = client
        self.program = program
        self.database = database
        self.answeredBelow = answeredBelow
    }

    /// The newest version that both sides speak; `nil` if there is none.
    package static func commonVersion(
        _ ours: ClosedRange<UInt32>, _ theirs: ClosedRange<UInt32>
    ) -> UInt32? {
        ours.overlaps(theirs) ? min(ours.upperBound, theirs.upperBound) : nil
    }
}

/// The daemon's first message. The client may send requests after `Welcome`.
package struct Welcome: Hashable, Sendable {
    /// What one session may hold at the same time.
    package struct Limits: Hashable, Sendable {
        /// Bytes that a frame's `length` may count.
        package var frameByteCountMax: Int
        /// Listeners.
        package var listenerCountMax: Int
        /// Requests, listeners not counted, without an answer.
        package var requestCountMax: Int

        /// Takes the limits.
        package init(
            frameByteCountMax: Int = WireLimits.frameByteCountMax, listenerCountMax: Int,
            requestCountMax: Int
        ) {
            self.frameByteCountMax = frameByteCountMax
            self.listenerCountMax = listenerCountMax
            self.requestCountMax = requestCountMax
        }
    }

    /// The version that both sides will speak.
    package var version: UInt32
    /// The daemon's number for the session.
    package var sessionID: UInt64
    /// The session's database.
    package var database: EngineKey
    /// The daemon's version, for people.
    package var daemonVersion: String
    /// What the session may hold at the same time.
    package var limits: Limits
    /// How the daemon is set up; `nil` if the daemon does not tell.
    package var setup: DaemonSetup?
    /// The number of the daemon's stores, which a restore changes; 0 if there is none.
    package var storeGeneration: UInt64

    /// Takes the parts.
    package init(
        version: UInt32, sessionID: UInt64, database: EngineKey, daemonVersion: String,
        limits: Limits, setup: DaemonSetup? = nil, storeGeneration: UInt64 = 0
    ) {
        self.storeGeneration = storeGeneration
        self.version = version
        self.sessionID = sessionID
        self.database = database
        self.daemonVersion = daemonVersion
        self.limits = limits
        self.setup = setup
    }
}
