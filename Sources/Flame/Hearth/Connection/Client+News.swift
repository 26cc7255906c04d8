import HearthModel
import HearthWire

/// What listeners that outlive a connection hear.
extension Client {
    /// What a listener to the Realtime Database hears.
    enum ObserverNews: Sendable {
        /// The view has changed.
        case view(ViewNews)
        /// The first children of a large view have come, before anything else was heard.
        case beginning(ViewNews)
        /// The listener begins without a connection to the daemon. The thread that began the
        /// listener says so, perhaps after the first news.
        case unconnected
        /// There is no connection to the daemon now.
        case interrupted
    }

    /// What a listener to the daemon's state hears.
    enum StatusNews: Sendable {
        /// There is a connection, and the state will come.
        case connected
        /// The daemon's state, as it is now.
        case report(Report)
        /// There is no connection to the daemon now.
        case interrupted
    }
}
