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
    mutating func networkReturned(_ turn: inout Turn) {
        guard canUseNetwork else { return }
        performOnWatchStream(watchStream.hurry(at: turn.now), &turn)
        performOnWriteStream(writeStream.hurry(at: turn.now), &turn)
    }

    /// The backend has answered on the write stream, so the watch stream's failures are history.
    ///
    /// A caller that asks for the backend now waits for the backend's answer.
    mutating func backendAnsweredWrite(_ turn: inout Turn) throws(StoreError) {
        let actions = watchStream.hurry(at: turn.now)
        if actions.isEmpty { return }
        performOnWatchStream(actions, &turn)
        try apply(online.set(.unknown), &turn)
        applyQuietly(online.streamStarted(), &turn)
    }

    /// The backend has answered on the watch stream.
    mutating func backendAnsweredWatch(_ turn: inout Turn) {
        performOnWriteStream(writeStream.hurry(at: turn.now), &turn)
    }

    /// Somebody reads from the backend alone.
    ///
    /// The engine answers by what is known now, and tries the stream, so that a second read may
    /// hear another answer.
    mutating func backendIsWanted(_ turn: inout Turn) {
        performOnWatchStream(watchStream.hurry(at: turn.now, after: Self.readPause), &turn)
    }

    /// The first target since the engine gave up the last target.
    ///
    /// The stream still waits for its next attempt on behalf of the earlier targets.
    mutating func watchAnew(_ turn: inout Turn) {
        performOnWatchStream(watchStream.hurry(at: turn.now), &turn)
        // If the backend asked to be left alone, a listener still waits no longer than after any
        // other start of a stream.
        applyQuietly(online.streamStarted(), &turn)
    }
}
