import HearthEngine
import HearthModel

/// Signs that the backend may be there again.
///
/// A stream that waits for its next attempt then tries at once. Otherwise an outage would last up
/// to a minute and a half longer.
extension FirestoreEngine {
    /// How long ago the last attempt must be before a read makes another.
    private static let readPause = Duration.seconds(5)

    /// The machine has a network again, or another one.
    mutating func networkReturned(_ effects: inout Effects) {
        guard canUseNetwork else { return }
        performOnWatchStream(watchStream.hurry(at: effects.now), &effects)
        performOnWriteStream(writeStream.hurry(at: effects.now), &effects)
    }

    /// The backend has answered on the write stream, so the watch stream's failures are history.
    ///
    /// A caller that asks for the backend now waits for the backend's answer.
    mutating func backendAnsweredWrite(_ effects: inout Effects) {
        silence.heard(at: effects.now)
        let actions = watchStream.hurry(at: effects.now)
        if actions.isEmpty { return }
        performOnWatchStream(actions, &effects)
        apply(online.set(.unknown), &effects)
        apply(online.streamStarted(), &effects)
    }

    /// The backend has answered on the watch stream.
    mutating func backendAnsweredWatch(_ effects: inout Effects) {
        performOnWriteStream(writeStream.hurry(at: effects.now), &effects)
    }

    /// Somebody reads from the backend alone.
    ///
    /// The engine answers by what is known now, and tries the stream, so that a second read may
    /// hear another answer.
    mutating func backendIsWanted(_ effects: inout Effects) {
        performOnWatchStream(watchStream.hurry(at: effects.now, after: Self.readPause), &effects)
    }

    /// The first target since the engine gave up the last target.
    ///
    /// The stream still waits for its next attempt on behalf of the earlier targets.
    mutating func watchAnew(_ effects: inout Effects) {
        performOnWatchStream(watchStream.hurry(at: effects.now), &effects)
        // If the backend asked to be left alone, a listener still waits no longer than after any
        // other start of a stream.
        apply(online.streamStarted(), &effects)
    }
}
