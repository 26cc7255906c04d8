package import HearthModel
package import HearthRPC
import Synchronization

/// Something that goes wrong on purpose.
package struct Fault: Hashable, Sendable {
    /// What goes wrong.
    package enum Kind: Hashable, Sendable {
        /// The call begins later.
        case delay(Duration)
        /// The call fails before anything is done.
        case refuse(HearthError)
        /// The call is made, and then fails as if its answer were lost on the way.
        case loseAnswer
        /// A write stream breaks over its first batches, which are applied up to so much later.
        case applyLate(Duration)
        /// The stream breaks instead of bringing one more message after so many.
        case cutStream(afterMessageCount: Int)
        /// Each message of the stream comes so long after the one before.
        case slowStream(Duration)
    }

    /// The method's name, such as `Commit`; `nil` for any.
    package let method: String?
    /// What goes wrong.
    package let kind: Kind
    /// How many calls it happens to.
    package var callCount: Int

    /// Spoils the next calls of a method.
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

    /// Adds a fault behind those that wait.
    package func inject(_ fault: Fault) {
        change { $0.append(fault) }
    }

    /// Lets everything go right again.
    package func clear() {
        change { $0 = [] }
    }

    /// The faults that wait, in order.
    package var waiting: [Fault] { faults.withLock { $0 } }

    package func take(_ method: CallMethod) -> CallFaults? {
        // Nearly always, and then without the lock.
        if count.load(ordering: .relaxed) == 0 { return nil }
        var kinds: [Fault.Kind] = []
        change { faults in
            for index in faults.indices
            where faults[index].method ?? method.name == method.name {
                kinds.append(faults[index].kind)
                faults[index].callCount -= 1
            }
            faults.removeAll { $0.callCount <= 0 }
        }
        return kinds.isEmpty ? nil : CallFaults(kinds)
    }

    private func change(_ body: (inout [Fault]) -> Void) {
        faults.withLock { faults in
            body(&faults)
            count.store(faults.count, ordering: .relaxed)
        }
    }
}

extension CallFaults {
    /// A call that all this befalls.
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
            }
        }
    }
}
