import HearthEngine
import HearthModel

/// Signs that the backend may be there again. Who waits for the next attempt then tries at once, or an
/// outage would last up to a minute and a half longer than it does.
extension FirestoreEngine {
    /// How long ago the last attempt must be before a read makes another.
    private static let readPause = Duration.seconds(5)

    /// The machine has a network again, or another one.
    mutating func networkReturned(_ turn: inout Turn) {
        guard canUseNetwork else { return }
        performOnWatchStream(watchStream.hurry(at: turn.now), &turn)
        performOnWriteStream(writeStream.hurry(at: turn.now), &turn)
    }

    /// The backend has answered on the write stream, so the watch stream's failures are history: whoever
    /// asks for the backend now waits for its answer.
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

    /// Somebody reads from the backend alone. They are answered by what is known now; who asks again
    /// soon need not hear the same.
    mutating func backendIsWanted(_ turn: inout Turn) {
        performOnWatchStream(watchStream.hurry(at: turn.now, after: Self.readPause), &turn)
    }

    /// The first target since the last was given up, while the stream waits for those that are gone.
    mutating func watchAnew(_ turn: inout Turn) {
        performOnWatchStream(watchStream.hurry(at: turn.now), &turn)
        // If the backend asked to be left alone, at least nobody waits for it longer than for others.
        applyQuietly(online.streamStarted(), &turn)
    }
}
