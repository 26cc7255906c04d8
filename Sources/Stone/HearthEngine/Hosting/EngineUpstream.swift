/// A connection to one engine's backend. It translates and never decides.
package protocol EngineUpstream<Command>: Sendable {
    /// What the engine asks of it.
    associatedtype Command

    /// Carries out a command. Never blocks; events come by the sink given when it was made, in
    /// the order of the stream, on any thread.
    func perform(_ command: Command)
}
