package import Logging
import Synchronization

/// The least important level that is logged, for all loggers of the daemon: a reload changes it.
///
/// A handler reads the threshold before each message, so a read is one relaxed load.
package final class LogThreshold: Sendable {
    private let place: Atomic<Int>

    /// Begins with a level.
    package init(_ level: Logger.Level) {
        place = Atomic(Self.place(of: level))
    }

    /// The level.
    package var level: Logger.Level {
        get { Logger.Level.allCases[place.load(ordering: .relaxed)] }
        set { place.store(Self.place(of: newValue), ordering: .relaxed) }
    }

    private static func place(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
