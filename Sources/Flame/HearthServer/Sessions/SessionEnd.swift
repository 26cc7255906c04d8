package import HearthModel
package import HearthWire

/// The daemon's end of a session, for any protocol of the session.
///
/// An end lives on an event loop and is used only there.
package protocol SessionEnd: AnyObject {
    /// Takes what the engine has for the session.
    func deliver(_ deliveries: Deliveries)

    /// Reads again, because the mailbox has room again.
    func resumeReading()

    /// Takes other settings, which count from now on.
    func reconfigure(_ values: LiveSettings.Values)

    /// Ends with all that is kept for the session, because the session holds too much.
    func evict(_ error: HearthError)

    /// Refuses what is owed and ends, because the daemon goes down or the engine starts anew.
    func end(_ error: HearthError)

    /// What the session listens to, for operators, in the order of its numbers.
    var listenedTo: [ListenerText] { get }

    /// What the connection has carried, for operators.
    var traffic: Inspection.Traffic { get }
}
