package import Logging

/// The parts of the daemon that sessions of any protocol are made of.
package struct SessionParts: Sendable {
    /// Where sessions are entered, counted and found by the engines.
    package let registry: SessionRegistry
    /// Where sessions get their engines.
    package let engines: EngineRegistry
    /// The rules and limits that count now.
    package let settings: LiveSettings
    /// The time that each user has taken of the event loops.
    package let shares: LoopShareTable
    /// The databases that sessions may name.
    package let directory: DatabaseDirectory
    /// Where sessions log.
    package let logger: Logger
}
