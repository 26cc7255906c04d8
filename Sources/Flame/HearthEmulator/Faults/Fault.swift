package import HearthModel
package import HearthRPC
import Synchronization

/// A fault that a test asks for.
package struct Fault: Hashable, Sendable {
    /// The kinds of faults.
    package enum Kind: Hashable, Sendable {
        /// The call begins later.
        case delay(Duration)
        /// The call fails before the service does anything.
        case refuse(HearthError)
        /// The service makes the call; then the call fails as if its answer were lost on the way.
        case loseAnswer
        /// A write stream breaks at its first batches.
        ///
        /// The emulator applies the batches later, within the given duration.
        case applyLate(Duration)
        /// The stream brings so many messages and breaks in place of the next message.
        case cutStream(afterMessageCount: Int)
        /// Each message of the stream comes at least the given duration after the message before.
        case slowStream(Duration)
        /// A connection to the Realtime Database gets no answer to its pings.
        case noPong
        /// The hello of a connection to the Realtime Database sends the client to another host.
        case foreignHost(String)
    }

    /// The method's name, such as `Commit`; `nil` for any.
    package let method: String?
    /// The kind of the fault.
    package let kind: Kind
    /// How many calls the fault befalls.
    package var callCount: Int

    /// A fault for the next calls of a method.
    ///
    /// - Parameters:
    ///   - method: The method's name, such as `Commit`; `nil` for any.
    ///   - kind: The kind of the fault.
    ///   - callCount: How many calls the fault befalls.
    package init(method: String? = nil, _ kind: Kind, callCount: Int = 1) {
        self.method = method
        self.kind = kind
        self.callCount = callCount
    }
}

/// The faults that wait for their calls.
package final class FaultTable: CallFaultSource {
    private let faults = Mutex<[Fault]>([])
    private let count = Atomic<Int>(0)

    init() {}

    /// Adds a fault behind the faults that wait.
    package func inject(_ fault: Fault) {
        change { $0.append(fault) }
    }

    /// Removes all faults that wait.
    package func clear() {
        change { $0 = [] }
    }

    /// The faults that wait, in order.
    package var waiting: [Fault] { faults.withLock { $0 } }

    package func take(_ method: CallMethod) -> CallFaults? {
        take(method.name).map { CallFaults($0) }
    }

    /// The faults of a request to the Realtime Database, or of a connection; `nil` for none.
    func take(_ method: RealtimeMethod) -> RealtimeFaults? {
        take(method.rawValue).map { RealtimeFaults($0) }
    }

    private func take(_ name: String) -> [Fault.Kind]? {
        // Nearly every call finds no faults, and then needs no lock.
        if count.load(ordering: .relaxed) == 0 { return nil }
        var kinds: [Fault.Kind] = []
        change { faults in
            for index in faults.indices where faults[index].method ?? name == name {
                kinds.append(faults[index].kind)
                faults[index].callCount -= 1
            }
            faults.removeAll { $0.callCount <= 0 }
        }
        return kinds.isEmpty ? nil : kinds
    }

    private func change(_ body: (inout [Fault]) -> Void) {
        faults.withLock { faults in
            body(&faults)
            count.store(faults.count, ordering: .relaxed)
        }
    }
}

extension CallFaults {
    /// A call that all faults of `kinds` befall.
    fileprivate init(_ kinds: [Fault.Kind]) {
        self.init()
        for kind in kinds {
            switch kind {
            case .delay(let duration): delay += duration
            case .refuse(let error): refusal = refusal ?? error
            case .loseAnswer: losesAnswer = true
            case .applyLate(let duration): lateness = duration
            case .cutStream(let count): messageCountLeft = min(count, messageCountLeft ?? count)
            case .slowStream(let duration): messageDelay += duration
            case .noPong, .foreignHost: break
            }
        }
    }
}

extension RealtimeFaults {
    /// A request or connection that all faults of `kinds` befall.
    fileprivate init(_ kinds: [Fault.Kind]) {
        self.init(call: CallFaults(kinds))
        for kind in kinds {
            switch kind {
            case .noPong: isMute = true
            case .foreignHost(let name): host = name
            case .delay, .refuse, .loseAnswer, .applyLate, .cutStream, .slowStream: break
            }
        }
    }
}
