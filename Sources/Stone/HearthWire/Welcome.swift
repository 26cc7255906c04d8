package import HearthEngine

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
        ///
        /// - Parameters:
        ///   - frameByteCountMax: Bytes that a frame's `length` may count.
        ///   - listenerCountMax: How many listeners.
        ///   - requestCountMax: How many requests without an answer, listeners not counted.
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
    ///
    /// - Parameters:
    ///   - version: The version that both sides will speak.
    ///   - sessionID: The daemon's number for the session.
    ///   - database: The session's database.
    ///   - daemonVersion: The daemon's version, for people.
    ///   - limits: What the session may hold at the same time.
    ///   - setup: How the daemon is set up; `nil` if the daemon does not tell.
    ///   - storeGeneration: The number of the daemon's stores, which a restore changes; 0 if there
    ///     is none.
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
