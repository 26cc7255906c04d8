import Hearth

/// What would follow from an order, before anybody gives it.
package struct SteerPreview: Equatable, Sendable {
    /// A batch that the daemon would refuse to steer.
    package struct Refusal: Equatable, Sendable {
        /// The batch's number.
        package let id: Int64
        /// Why, in a sentence.
        package let reason: String
    }

    /// The batches that the order is about and reaches.
    package private(set) var reached: [Int64] = []
    /// Batches that the order reaches although nobody named them.
    package private(set) var also: [Int64] = []
    /// Batches for which the daemon would refuse the whole order.
    package private(set) var refused: [Refusal] = []
    /// The consequences, for people.
    package private(set) var sentences: [String] = []

    /// Looks ahead at an order about batches that wait.
    ///
    /// - Parameters:
    ///   - ids: The batches that the order names.
    ///   - queue: The queue, oldest first.
    package init(_ order: SteerOrder, _ ids: [Int64], queue: [QueuedBatch]) {
        let byID = Dictionary(queue.map { ($0.id, $0) }) { first, _ in first }
        for id in ids {
            guard let batch = byID[id] else {
                refused.append(Refusal(id: id, reason: "No batch \(id) waits in the queue."))
                continue
            }
            if batch.state == .sentUnanswered, order != .release {
                refused.append(
                    Refusal(
                        id: id, reason: "Batch \(id) was sent: the backend may have applied it."))
            } else {
                reached.append(id)
            }
        }
        switch order {
        case .hold: hold(byID, queue)
        case .release: release(queue)
        case .cancel:
            say(
                "leaves the queue for the dead letters; its writer is told that it was cancelled.",
                "leave the queue for the dead letters; their writers are told that they were cancelled."
            )
        case .drop:
            say("is forgotten; nothing brings it back.", "are forgotten; nothing brings them back.")
        case .edit:
            say("keeps its place and writer, and every program sees the new writes at once.", "")
        case .retry, .retryDeadLetters, .dropDeadLetters, .editDeadLetter: break
        }
        sayRefused()
    }

    /// Looks ahead at an order about dead letters.
    ///
    /// - Parameters:
    ///   - order: What the operator wants done to the letters.
    ///   - letters: The letters that the order names and that there are, each with whether the
    ///     backend may have applied it.
    ///   - missing: Numbers that name no letter.
    ///   - evenIfApplied: Whether the operator allows that a write takes effect twice.
    package init(
        _ order: SteerOrder, letters: [(id: Int64, isInDoubt: Bool)], missing: [Int64] = [],
        evenIfApplied: Bool
    ) {
        refused = missing.map {
            Refusal(id: $0, reason: "No batch \($0) is among the dead letters.")
        }
        for letter in letters {
            if letter.isInDoubt, !evenIfApplied, order != .dropDeadLetters {
                refused.append(
                    Refusal(
                        id: letter.id,
                        reason:
                            "The backend may have applied batch \(letter.id); to send it even so needs "
                            + "your word."))
            } else {
                reached.append(letter.id)
            }
        }
        switch order {
        case .retryDeadLetters:
            say(
                "is sent again, at the end of the queue, under a new number.",
                "are sent again, at the end of the queue, under new numbers.")
            let doubtful = letters.count { $0.isInDoubt }
            if evenIfApplied, doubtful > 0 {
                sentences.append("\(doubtful) of them may be applied twice.")
            }
        case .editDeadLetter:
            say("goes to the end of the queue with the new writes, under a new number.", "")
        case .dropDeadLetters:
            say("is forgotten; nothing brings it back.", "are forgotten; nothing brings them back.")
        case .hold, .release, .cancel, .drop, .edit, .retry: break
        }
        sayRefused()
    }

    private mutating func hold(_ byID: [Int64: QueuedBatch], _ queue: [QueuedBatch]) {
        var first: [String: Int64] = [:]
        for batch in reached.compactMap({ byID[$0] }) {
            first[batch.user] = min(first[batch.user] ?? .max, batch.id)
        }
        let named = Set(reached)
        also = queue.filter { batch in
            guard let start = first[batch.user], batch.id > start else { return false }
            return !named.contains(batch.id) && batch.state == .queued && batch.heldBy == nil
        }.map(\.id)
        say(
            "is not sent until somebody releases it, also after a restart.",
            "are not sent until somebody releases them, also after a restart.")
        if !also.isEmpty {
            sentences.append(
                "\(Self.count(also.count)) behind \(also.count == 1 ? "waits" : "wait") too: one user's "
                    + "writes keep their order.")
        }
    }

    private mutating func release(_ queue: [QueuedBatch]) {
        let released = Set(reached)
        let held = queue.filter { $0.state == .held && !released.contains($0.id) }
        also = queue.filter { batch in
            guard let heldBy = batch.heldBy, released.contains(heldBy) else { return false }
            // Another held batch of the user may stand before this one.
            return !released.contains(batch.id)
                && !held.contains {
                    $0.user.utf8.elementsEqual(batch.user.utf8) && $0.id < batch.id
                }
        }.map(\.id)
        say("goes to the backend in its turn.", "go to the backend in their turn.")
        if !also.isEmpty {
            sentences.append(
                "\(Self.count(also.count)) behind \(also.count == 1 ? "follows" : "follow").")
        }
    }

    private mutating func say(_ one: String, _ many: String) {
        guard !reached.isEmpty else { return }
        sentences.append("\(Self.count(reached.count)) \(reached.count == 1 ? one : many)")
    }

    private mutating func sayRefused() {
        guard !refused.isEmpty else { return }
        sentences.append(
            "The daemon would refuse the whole order because of \(Self.count(refused.count)).")
    }

    private static func count(_ count: Int) -> String {
        count == 1 ? "1 batch" : "\(count) batches"
    }
}
