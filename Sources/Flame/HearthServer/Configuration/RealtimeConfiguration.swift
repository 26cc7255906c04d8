package import HearthEngine
package import HearthModel

/// What the daemon does for the instances of the Realtime Database.
package struct RealtimeConfiguration: Hashable, Sendable {
    /// The instance of clients that name none; `nil` for the one that the project has by itself.
    package var instance: InstanceID?
    /// An emulator, as `host:port`, which stands for every instance.
    package var emulator: String?
    /// Whether to connect at all.
    package var isEnabled = true
    /// The size above which the least used leaves an instance's cache, in bytes.
    package var cacheByteCountMax = 100 << 20
    /// How much memory the waiting writes of all instances may take.
    package var memory = MemoryLimits()
    /// The places of the instance above that are kept in step without a listener.
    package var keep: [RealtimePath] = []
    /// Where the fence stands that tells which writes were applied; `nil` for none.
    package var fence: RealtimePath?
    /// The daemon's action on a write that holds only once, whose answer was lost and that no fence
    /// proves.
    package var inDoubt = LostAnswerPolicy.InDoubt.resend
    /// What decided that there is an emulator, or none, for the log.
    package internal(set) var upstreamOrigin = "the default"

    /// The defaults in these surroundings.
    init(_ surroundings: Surroundings) {
        if let emulator = surroundings.realtimeEmulator {
            self.emulator = emulator
            upstreamOrigin = Surroundings.realtimeEmulatorVariable
        }
    }
}

extension ServerConfiguration {
    /// The instance of clients that name none, if there is one.
    package var instance: InstanceID? {
        realtime.instance ?? database.flatMap { InstanceID(project: $0.project) }
    }

    /// How much may wait in an engine's queue, and what becomes of lost answers.
    package func queueLimits(of key: EngineKey) -> QueueLimits {
        switch key {
        case .firestore: return queueLimits
        case .realtime:
            var limits = queueLimits
            limits.memory = realtime.memory
            limits.lostAnswers = LostAnswerPolicy()
            limits.lostAnswers.inDoubt = realtime.inDoubt
            return limits
        }
    }

    /// Where the databases of clients are found.
    package var directory: DatabaseDirectory {
        DatabaseDirectory(
            database: database, instance: instance, trustsEveryHost: realtime.emulator != nil)
    }
}
