import HashTreeCollections
import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// Which pins are watched, if there are more than may be.
struct PinTableTests {
    private let now = Timestamp(seconds: 1_000, nanoseconds: 0)

    private func pin(_ uid: UInt32?, _ number: Int, freshness: Duration? = nil) -> Pin {
        Pin(
            id: Pin.ID(uid: uid, name: "\(number)"),
            query: Query(path: ResourcePath(["rooms"])), freshness: freshness)
    }

    /// A table of waiting pins.
    private func table(_ pins: [Pin], watchedCountMax: Int = 3) -> PinTable {
        var table = PinTable()
        table.limits.watchedCountMax = watchedCountMax
        for pin in pins { table[pin.id] = PinTable.Row(pin: pin, phase: .waiting) }
        return table
    }

    /// Opens what may be opened; returns the ids of the pins that are open then.
    private func deal(_ table: inout PinTable, at now: Timestamp) -> Set<Pin.ID> {
        for _ in 0..<1_000 {
            guard let step = table.nextStep(at: now) else {
                return Set(table.rows.values.filter(\.isOpen).map(\.pin.id))
            }
            if let closed = step.closed { table[closed]?.phase = .waiting }
            table[step.opened]?.phase = .open(since: now)
        }
        Issue.record("The dealing does not end")
        return []
    }

    private func counts(_ ids: Set<Pin.ID>) -> [UInt32?: Int] {
        ids.reduce(into: [:]) { $0[$1.uid, default: 0] += 1 }
    }

    @Test func `a user who has all places gives up what another waits for`() {
        var table = table((0..<10).map { pin(1, $0) })
        #expect(counts(deal(&table, at: now)) == [1: 3])
        for number in 0..<2 {
            table[Pin.ID(uid: 2, name: "\(number)")] = PinTable.Row(
                pin: pin(2, number), phase: .waiting)
        }
        #expect(counts(deal(&table, at: now)) == [1: 2, 2: 1])
        table[Pin.ID(uid: 3, name: "0")] = PinTable.Row(pin: pin(3, 0), phase: .waiting)
        #expect(counts(deal(&table, at: now)) == [1: 1, 2: 1, 3: 1])
    }

    @Test func `pins that are refreshed take places of their own, and slow ones give way`() {
        let count = PinLimits.refreshCountMax
        var table = table((0..<count + 2).map { pin(1, $0, freshness: .seconds(600)) })
        let first = deal(&table, at: now)
        #expect(first.count == count)
        #expect(table.nextDue(at: now) == now.advanced(by: PinLimits.refreshTimeMax))
        let later = now.advanced(by: PinLimits.refreshTimeMax)
        #expect(table.nextStep(at: later) != nil)
        table[pin(nil, 99).id] = PinTable.Row(pin: pin(nil, 99), phase: .waiting)
        #expect(table.nextStep(at: now) == .init(opened: pin(nil, 99).id, closed: nil))
    }

    @Test func `a pin that rests wakes when its results are too old`() {
        var table = table([])
        let id = pin(1, 0).id
        table[id] = PinTable.Row(
            pin: pin(1, 0, freshness: .seconds(10)),
            phase: .resting(until: now.advanced(by: .seconds(10))))
        table.wake(at: now.advanced(by: .seconds(9)))
        #expect(table.nextStep(at: now) == nil)
        #expect(table.nextDue(at: now) == now.advanced(by: .seconds(10)))
        table.wake(at: now.advanced(by: .seconds(10)))
        #expect(table.nextStep(at: now)?.opened == id)
    }

    @Test func `a pin that rests wakes when the clock has gone back, and is not told as fresh`() {
        var table = table([pin(1, 0, freshness: .seconds(600))])
        let id = Pin.ID(uid: 1, name: "0")
        table[id]?.completedAt = now
        table[id]?.phase = .resting(until: now.advanced(by: .seconds(600)))
        #expect(table.report(on: id, at: now)?.state == .fresh)
        let before = now.advanced(by: .seconds(-900))
        #expect(table.nextDue(at: before) == before)
        #expect(table.report(on: id, at: before)?.state == .stale)
        table.wake(at: before)
        #expect(table[id]?.phase == .waiting)
    }

    @Test(arguments: 0..<200)
    func `whatever waits, places are dealt evenly and all are used`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let wanted = (0..<UInt32(5)).map { _ in Int.random(in: 0...6, using: &random) }
        let pins = wanted.enumerated().flatMap { uid, count in
            (0..<count).map { pin(UInt32(uid), $0) }
        }
        let countMax = Int.random(in: 1...12, using: &random)
        var table = table([], watchedCountMax: countMax)
        for pin in pins.shuffled(using: &random) {
            table[pin.id] = PinTable.Row(pin: pin, phase: .waiting)
            if Bool.random(using: &random) { _ = deal(&table, at: now) }
        }
        let open = deal(&table, at: now)
        #expect(open.count == min(countMax, pins.count), "seed \(seed)")
        let counts = counts(open)
        let most = counts.values.max() ?? 0
        for (uid, count) in wanted.enumerated() where (counts[UInt32(uid)] ?? 0) < count {
            #expect((counts[UInt32(uid)] ?? 0) >= most - 1, "seed \(seed)")
        }
    }
}
