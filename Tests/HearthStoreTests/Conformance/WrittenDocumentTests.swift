import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// The batches that write to a document, and the document's pending state.
struct WrittenDocumentTests {
    private let nobody = UserID.unauthenticated
    private let alice = UserID("alice")
    private let name = key("a/1")

    /// How the effect of a batch may relate to its writes.
    enum Effect: String, CaseIterable, CustomTestStringConvertible {
        case written, other, ofSeveralWrites

        var testDescription: String { rawValue }
    }

    /// A batch that sets `a/1` to the batch's number, with its effects.
    private func queued(_ number: Int64, _ effect: Effect, user: UserID = .unauthenticated)
        -> (batch: QueuedBatch, effects: [Overlay])
    {
        let write = set("a/1", ["n": .integer(number)])
        let other = set("a/1", ["n": .integer(number), "old": .null])
        let batches: [Effect: (QueuedBatch, [Mutation])] = [
            .written: (batch(number, write, user: user), [write]),
            .other: (batch(number, write, user: user), [other]),
            .ofSeveralWrites: (
                batch(number, set("b/\(number)"), write, user: user), [set("b/\(number)"), write]
            ),
        ]
        let (batch, effects) = batches[effect] ?? (batch(number, write), [])
        return (batch, effects.map { Overlay(largestBatchID: BatchID(number), mutation: $0) })
    }

    private func writers(_ bench: StoreBench, of name: DocumentKey? = nil) throws -> [Int64] {
        try bench.write { try $0.batches(writingTo: [name ?? self.name], of: nobody) }
            .map(\.batch.id.rawValue)
    }

    private func overlay(_ bench: StoreBench, of user: UserID? = nil) throws -> Overlay? {
        let one = try bench.write { try $0.overlay(name, of: user ?? nobody) }
        let scanned = try bench.write {
            try $0.overlays(for: Query(path: path("a")), after: .none, of: user ?? nobody)
        }
        #expect(scanned[name] == one)
        return one
    }

    @Test(arguments: StoreKind.allCases, Effect.allCases)
    func `a batch that leaves takes the effects with it whose newest it is, and no others`(
        kind: StoreKind, effect: Effect
    ) throws {
        let bench = try StoreBench(kind)
        let (first, second) = (queued(1, effect), queued(2, effect))
        let other = queued(3, effect, user: alice)
        try bench.write {
            for (batch, effects) in [first, second, other] {
                try $0.append(batch, effects: effects)
            }
        }
        #expect(try overlay(bench) == second.effects.last)
        #expect(try overlay(bench, of: alice) == other.effects.last)
        #expect(try writers(bench) == [1, 2])
        try bench.write { try $0.removeBatch(first.batch) }
        #expect(try overlay(bench) == second.effects.last)
        #expect(try writers(bench) == [2])
        try bench.write { try $0.removeBatch(second.batch) }
        #expect(bench.store.changes.contains(name))
        #expect(try overlay(bench) == nil)
        #expect(try writers(bench).isEmpty)
        #expect(try overlay(bench, of: alice) == other.effects.last)
        #expect(try bench.write { try $0.isWritten(name) })
        try bench.write { try $0.removeBatch(other.batch) }
        #expect(try overlay(bench, of: alice) == nil)
        #expect(try bench.write { try !$0.isWritten(name) })
    }

    @Test(arguments: StoreKind.allCases, Effect.allCases)
    func `when the newest batch leaves, those in front of it write still`(
        kind: StoreKind, effect: Effect
    ) throws {
        let bench = try StoreBench(kind)
        let all = (Int64(1)...4).map { queued($0, effect) }
        try bench.write {
            for (batch, effects) in all { try $0.append(batch, effects: effects) }
        }
        try bench.write { try $0.removeBatch(all[3].batch) }
        #expect(try overlay(bench) == nil)
        #expect(try writers(bench) == [1, 2, 3])
        try bench.write { try $0.setOverlays(all[2].effects, of: nobody) }
        #expect(try overlay(bench) == all[2].effects.last)
        try bench.write { try $0.removeBatch(all[1].batch) }
        #expect(try overlay(bench) == all[2].effects.last)
        #expect(try writers(bench) == [1, 3])
        try bench.write { try $0.removeBatch(all[2].batch) }
        #expect(try overlay(bench) == nil)
        try bench.write { try $0.removeBatch(all[0].batch) }
        #expect(try writers(bench).isEmpty)
        #expect(try bench.write { try $0.writtenKeys(of: nobody) }.contains(name) == false)
    }

    @Test(arguments: StoreKind.allCases, Effect.allCases)
    func `an effect outlives a newer batch that has none`(kind: StoreKind, effect: Effect) throws {
        let bench = try StoreBench(kind)
        let first = queued(1, effect)
        let check = batch(2, Mutation(key: name, kind: .verify, precondition: .exists(true)))
        try bench.write {
            try $0.append(first.batch, effects: first.effects)
            try $0.append(check)
        }
        #expect(try overlay(bench) == first.effects.last)
        #expect(try writers(bench) == [1, 2])
        try bench.write { try $0.removeBatch(check) }
        #expect(try overlay(bench) == first.effects.last)
        try bench.write { try $0.removeBatch(first.batch) }
        #expect(try overlay(bench) == nil)
    }

    @Test(arguments: StoreKind.allCases, Effect.allCases)
    func `a batch with other writes keeps its effects until they are computed anew`(
        kind: StoreKind, effect: Effect
    ) throws {
        let bench = try StoreBench(kind)
        let (first, second) = (queued(1, effect), queued(2, effect))
        try bench.write {
            try $0.append(first.batch, effects: first.effects)
            try $0.append(
                batch(3, set("a/2")),
                effects: [Overlay(largestBatchID: BatchID(3), mutation: set("a/2"))])
        }
        // To the same document, then in front of another batch to another one.
        let edited = batch(1, set("a/1", ["edited": .null]))
        try bench.write { try $0.replaceBatch(edited, writingTo: first.batch.batch.keys) }
        #expect(try overlay(bench) == first.effects.last)
        let moved = batch(1, set("a/2", ["edited": .null]))
        try bench.write { try $0.replaceBatch(moved, writingTo: [name]) }
        #expect(try writers(bench).isEmpty)
        #expect(try overlay(bench) == first.effects.last)
        #expect(try writers(bench, of: key("a/2")) == [1, 3])
        let pending = try bench.write { try $0.overlay(key("a/2"), of: nobody) }
        #expect(pending?.largestBatchID == BatchID(3))
        try bench.write {
            try $0.removeOverlays([name], of: nobody)
            try $0.removeBatch(moved)
        }
        #expect(try overlay(bench) == nil)
        #expect(try writers(bench, of: key("a/2")) == [3])
        #expect(second.batch.batch.id == BatchID(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `an effect has neither precondition nor transforms, whatever its batch has`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        let kinds: [(Mutation.Kind, Precondition)] = [
            (.set(everyValue), .exists(false)), (.set([:]), .none),
            (.patch(["n": .integer(1)], FieldMask([FieldPath(["n"])])), .exists(true)),
            (.delete, .updateTime(version(4))),
        ]
        var id: Int64 = 0
        for (number, (kind, precondition)) in kinds.enumerated() {
            let transform = FieldTransform(
                field: FieldPath(["later"]), operation: .serverTimestamp)
            let written = Mutation(
                key: name, kind: kind, precondition: precondition,
                transforms: number == 2 ? [transform] : [])
            // Once with fields of the effect's own, once with the batch's fields.
            for effect in [
                Mutation(key: name, kind: copy(of: kind)), Mutation(key: name, kind: kind),
            ] {
                id += 1
                let queued = batch(id, written)
                let overlay = Overlay(largestBatchID: queued.batch.id, mutation: effect)
                try bench.write { try $0.append(queued, effects: [overlay]) }
                #expect(try self.overlay(bench) == overlay)
                #expect(try bench.write { try $0.batch(queued.batch.id, of: nobody) } == queued)
                try bench.write { try $0.removeBatch(queued) }
                #expect(try self.overlay(bench) == nil)
            }
        }
    }

    /// The same fields in memory of their own.
    private func copy(of kind: Mutation.Kind) -> Mutation.Kind {
        func copied(_ fields: MapValue) -> MapValue { MapValue(entries: fields.entries.map { $0 }) }
        switch kind {
        case .set(let fields): return .set(copied(fields))
        case .patch(let fields, let mask): return .patch(copied(fields), mask)
        case .delete, .verify: return kind
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what was sent is what is in front of the last one that was, but for held batches`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in Int64(1)...5 { try $0.append(batch(number, set("a/\(number)"))) }
            try $0.append(batch(6, set("a/1"), user: alice))
            try $0.setHeld(true, BatchID(4), of: nobody)
            try $0.noteSent(through: BatchID(2), of: nobody)
        }
        func states() throws -> [BatchState?] {
            try bench.write { store in
                try (Int64(1)...6).map {
                    try store.batch(BatchID($0), of: $0 == 6 ? alice : nobody)?.state
                }
            }
        }
        let sent = BatchState.sentUnanswered
        #expect(try states() == [sent, sent, .queued, .held, .queued, .queued])
        try bench.write {
            try $0.noteSent(through: BatchID(1), of: nobody)  // Nothing is taken back.
            try $0.noteSent(through: BatchID(3), of: nobody)
        }
        #expect(try states() == [sent, sent, sent, .held, .queued, .queued])
        try bench.write { try $0.setHeld(false, BatchID(4), of: nobody) }
        #expect(try states() == [sent, sent, sent, .queued, .queued, .queued])
        let next = try bench.write { try $0.nextBatch(after: BatchID(2), of: nobody) }
        #expect(next?.state == sent)
    }
}
