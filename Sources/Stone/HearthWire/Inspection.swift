package import HearthEngine

/// An operator's view of the daemon besides its status.
package struct Inspection: Hashable, Sendable {
    /// The subjects of an inspection.
    package enum Subject: Hashable, Sendable, CaseIterable {
        /// Figures of all databases, for monitoring.
        case metrics
        /// Connected processes.
        case clients
        /// The listeners of the connected processes.
        case listeners
        /// The state of every open database.
        case databases
        /// What happened in the last hour, in steps.
        case hour
    }

    /// A place in a list of clients or listeners, behind which the next part begins.
    package struct Place: Hashable, Comparable, Sendable {
        /// The session of the last row.
        package var session: UInt64
        /// The place of the last row among the session's listeners, from 1 on; 0 for clients.
        package var row: UInt32

        /// In front of all rows.
        package static let start = Place(session: 0, row: 0)

        /// A place behind a row.
        package init(session: UInt64, row: UInt32) {
            self.session = session
            self.row = row
        }

        package static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.session, lhs.row) < (rhs.session, rhs.row)
        }
    }

    /// What a connection has carried since it began.
    package struct Traffic: Hashable, Sendable {
        /// Requests to write, and commits of transactions.
        package var writeCount = 0
        /// Bytes that the process has sent.
        package var receivedByteCount = 0
        /// Bytes that the process was sent.
        package var sentByteCount = 0

        /// Nothing yet.
        package init() {}
    }

    /// A connected process.
    package struct Client: Hashable, Sendable {
        /// The session's number.
        package var session: UInt64
        /// The process, as the kernel describes it.
        package var process: Writer
        /// The process's database; `nil` if the process has not sent `Hello`.
        package var database: EngineKey?
        /// How many listeners the process has.
        package var listenerCount: Int
        /// How long the process has been connected, in whole seconds.
        package var age: Duration
        /// Bytes that the daemon holds for the process.
        package var heldByteCount = 0
        /// What the connection has carried.
        package var traffic = Traffic()

        /// Describes a client for which the daemon holds no bytes.
        ///
        /// - Parameters:
        ///   - session: The session's number.
        ///   - process: The process, as the kernel describes it.
        ///   - database: The process's database; `nil` if the process has not sent `Hello`.
        ///   - listenerCount: How many listeners the process has.
        ///   - age: How long the process has been connected, in whole seconds.
        package init(
            session: UInt64, process: Writer, database: EngineKey?, listenerCount: Int,
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
        /// The process, as the kernel describes it.
        package var process: Writer
        /// The process's database.
        package var database: EngineKey?
        /// The query, in a form for people.
        package var query: String

        /// Describes a listener.
        ///
        /// - Parameters:
        ///   - session: The session's number.
        ///   - process: The process, as the kernel describes it.
        ///   - database: The process's database; `nil` if the process has not sent `Hello`.
        ///   - query: The query, in a form for people.
        package init(
            session: UInt64, process: Writer, database: EngineKey?, query: String
        ) {
            self.session = session
            self.process = process
            self.database = database
            self.query = query
        }
    }

    /// The figures in the text format of Prometheus; empty if not asked for.
    package var metrics = ""
    /// Connected processes, if asked for.
    package var clients: [Client] = []
    /// Listeners of the connected processes, if asked for.
    package var listeners: [Listener] = []
    /// Where the list of clients or listeners goes on; `nil` behind its end.
    package var next: Place?
    /// The state of each open database, if asked for: Firestore databases before instances, each
    /// kind in the order of names.
    package var databases: [StatusReport] = []
    /// What happened in the last hour, if asked for: the steps that the daemon has kept, oldest first.
    package var hour: [HourStep] = []

    /// Nothing yet.
    package init() {}
}
