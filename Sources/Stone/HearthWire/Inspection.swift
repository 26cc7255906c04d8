package import HearthEngine
package import HearthModel

/// What operators want to know of the daemon beside its status.
package struct Inspection: Hashable, Sendable {
    /// What may be asked for.
    package enum Subject: Hashable, Sendable, CaseIterable {
        /// Figures of all databases, for monitoring.
        case metrics
        /// Connected processes.
        case clients
        /// What they listen to.
        case listeners
    }

    /// A connected process.
    package struct Client: Hashable, Sendable {
        /// The session's number.
        package var session: UInt64
        /// Who it is.
        package var process: Writer
        /// Its database; `nil` if it has not greeted.
        package var database: DatabaseID?
        /// How many listeners it has.
        package var listenerCount: Int
        /// How long it has been connected, in whole seconds.
        package var age: Duration
        /// Bytes that the daemon holds for it.
        package var heldByteCount = 0

        /// Describes a client for whom nothing is held.
        package init(
            session: UInt64, process: Writer, database: DatabaseID?, listenerCount: Int,
            age: Duration
        ) {
            self.session = session
            self.process = process
            self.database = database
            self.listenerCount = listenerCount
            self.age = age
        }
    }

    /// One listener of a connected process.
    package struct Listener: Hashable, Sendable {
        /// The session's number.
        package var session: UInt64
        /// Who it is.
        package var process: Writer
        /// Its database.
        package var database: DatabaseID?
        /// What it listens to, for people.
        package var query: String

        /// Describes a listener.
        package init(
            session: UInt64, process: Writer, database: DatabaseID?, query: String
        ) {
            self.session = session
            self.process = process
            self.database = database
            self.query = query
        }
    }

    /// In the text format of Prometheus; empty if not asked for.
    package var metrics = ""
    /// Connected processes, if asked for.
    package var clients: [Client] = []
    /// Their listeners, if asked for.
    package var listeners: [Listener] = []

    /// Nothing yet.
    package init() {}
}
