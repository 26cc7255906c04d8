import HearthEngine
import Testing

@testable import HearthServer

/// Who has how much of the memory of surveys, and in which order.
struct SurveyRoomsTests {
    private func granted(_ rooms: inout SurveyRooms<String>) -> [String] {
        var elements: [String] = []
        while let next = rooms.next() { elements.append(next.element) }
        return elements
    }

    @Test func `a claim waits until there is room for all of it`() {
        var rooms = SurveyRooms<String>(byteCountMax: 10)
        _ = rooms.ask("a", 6, of: 1)
        _ = rooms.ask("b", 5, of: 2)
        #expect(granted(&rooms) == ["a"])
        rooms.giveBack(1)
        #expect(granted(&rooms) == ["b"])
        #expect(rooms.byteCount == 10)
    }

    @Test func `nobody passes the first in line, so that a large claim comes to its turn`() {
        var rooms = SurveyRooms<String>(byteCountMax: 10)
        _ = rooms.ask("a", 4, of: 1)
        _ = rooms.ask("whole", 10, of: 2)
        _ = rooms.ask("b", 1, of: 3)
        #expect(granted(&rooms) == ["a"])
        let hasGrown = rooms.grow(by: 1)
        #expect(!hasGrown)
        rooms.giveBack(4)
        #expect(granted(&rooms) == ["whole"])
        rooms.giveBack(10)
        #expect(granted(&rooms) == ["b"])
    }

    @Test func `owners take turns, however much one asks`() {
        var rooms = SurveyRooms<String>(byteCountMax: 1)
        for name in ["a1", "a2", "a3"] { _ = rooms.ask(name, 1, of: 1) }
        for name in ["b1", "b2"] { _ = rooms.ask(name, 1, of: 2) }
        _ = rooms.ask("d1", 1, of: nil)
        var order: [String] = []
        while let next = rooms.next() {
            order.append(next.element)
            rooms.giveBack(next.byteCount)
        }
        #expect(order == ["a1", "b1", "d1", "a2", "b2", "a3"])
    }

    @Test func `who has room gets more while nobody waits, up to all`() {
        var rooms = SurveyRooms<String>(byteCountMax: 10)
        _ = rooms.ask("a", 2, of: 1)
        #expect(granted(&rooms) == ["a"])
        var growths = [rooms.grow(by: 8), rooms.grow(by: 1)]
        _ = rooms.ask("b", 2, of: 2)
        rooms.giveBack(1)
        growths.append(rooms.grow(by: 1))
        #expect(growths == [true, false, false])
        #expect(rooms.byteCount == 9)
    }

    @Test func `a claim that leaves is never granted, and lets others come forward`() {
        var rooms = SurveyRooms<String>(byteCountMax: 10)
        _ = rooms.ask("a", 4, of: 1)
        let large = rooms.ask("whole", 10, of: 2)
        _ = rooms.ask("b", 4, of: 2)
        #expect(granted(&rooms) == ["a"])
        let left = [rooms.leave(large), rooms.leave(large)]
        #expect(left == ["whole", nil])
        #expect(granted(&rooms) == ["b"])
        #expect(rooms.waitingCount == 0)
    }

    @Test func `a claim of two owners is granted in the first of their turns, and once`() {
        var rooms = SurveyRooms<String>(byteCountMax: 1)
        for name in ["a1", "a2"] { _ = rooms.ask(name, 1, of: 1) }
        let shared = rooms.ask("shared", 1, of: 1)
        rooms.join(shared, 2)
        rooms.join(shared, 2)
        var order: [String] = []
        while let next = rooms.next() {
            order.append(next.element)
            rooms.giveBack(next.byteCount)
        }
        #expect(order == ["a1", "shared", "a2"])
        rooms.join(shared, 3)
        #expect(rooms.waitingCount == 0)
    }

    /// Random users who ask, grow, give back and leave, and what must hold after each step.
    private struct Crowd {
        private static let byteCountMax = 64
        private var random: SeededRandom
        private var rooms = SurveyRooms<UInt64>(byteCountMax: Crowd.byteCountMax)
        /// What each claim asks for, and who waits for it.
        private var waiting: [UInt64: (byteCount: Int, owners: Set<UInt32>)] = [:]
        private var running: [UInt64: Int] = [:]
        /// Who was served since an owner began to wait, or was served last.
        private var passed: [UInt32: Set<UInt32>] = [:]
        private var lastElement: UInt64 = 0
        private var numbers: [UInt64: UInt64] = [:]
        private(set) var servedCount = 0

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        private mutating func number(_ range: ClosedRange<Int>) -> Int {
            Int.random(in: range, using: &random)
        }

        private func isWaiting(_ owner: UInt32) -> Bool {
            waiting.values.contains { $0.owners.contains(owner) }
        }

        mutating func step() {
            switch number(0...9) {
            case 0...3: ask()
            case 4: leave()
            case 5: join()
            case 6, 7: grow()
            default: finish()
            }
            serve()
            check()
        }

        private mutating func ask() {
            let owner = UInt32(number(1...5))
            let byteCount = number(0...3) == 0 ? number(1...Self.byteCountMax) : number(1...8)
            lastElement += 1
            if !isWaiting(owner) { passed[owner] = [] }
            numbers[lastElement] = rooms.ask(lastElement, byteCount, of: owner)
            waiting[lastElement] = (byteCount, [owner])
        }

        private mutating func leave() {
            guard let element = waiting.keys.sorted().randomElement(using: &random),
                let number = numbers[element]
            else { return }
            let left = rooms.leave(number)
            #expect(left == element)
            waiting[element] = nil
        }

        private mutating func join() {
            guard let element = waiting.keys.sorted().randomElement(using: &random),
                let number = numbers[element]
            else { return }
            let owner = UInt32(self.number(1...5))
            if !isWaiting(owner) { passed[owner] = [] }
            rooms.join(number, owner)
            waiting[element]?.owners.insert(owner)
        }

        private mutating func grow() {
            guard let element = running.keys.sorted().randomElement(using: &random) else { return }
            let more = number(1...8)
            let isFree = running.values.reduce(more, +) <= Self.byteCountMax
            let hasGrown = rooms.grow(by: more)
            #expect(hasGrown == (isFree && waiting.isEmpty))
            if hasGrown { running[element, default: 0] += more }
        }

        private mutating func finish() {
            guard let element = running.keys.sorted().randomElement(using: &random),
                let byteCount = running.removeValue(forKey: element)
            else { return }
            rooms.giveBack(byteCount)
        }

        /// Grants what has room, as the host does after each step.
        private mutating func serve() {
            while let next = rooms.next() {
                let claim = waiting.removeValue(forKey: next.element)
                #expect(claim?.byteCount == next.byteCount)
                guard let owner = next.owner else { return }
                #expect(claim?.owners.contains(owner) == true)
                running[next.element] = next.byteCount
                servedCount += 1
                for other in passed.keys where other != owner && isWaiting(other) {
                    let isFirst = passed[other]?.insert(owner).inserted
                    #expect(isFirst == true, "\(owner) had two turns while \(other) waited")
                }
                passed[owner] = []
            }
        }

        private func check() {
            let taken = running.values.reduce(0, +)
            #expect(rooms.byteCount == taken)
            #expect(taken <= Self.byteCountMax)
            #expect(rooms.waitingCount == waiting.count)
            // Nobody sleeps through room for any claim, unless a larger one is before it.
            let largest = waiting.values.map(\.byteCount).max() ?? 0
            if largest > 0 { #expect(largest > Self.byteCountMax - taken) }
        }

        /// Everybody who has room gives it back, and nobody else comes.
        mutating func drain() {
            var stepCount = 0
            while !waiting.isEmpty || !running.isEmpty {
                finish()
                serve()
                check()
                stepCount += 1
                guard stepCount < 10_000 else {
                    Issue.record("\(waiting.count) claims wait for ever")
                    return
                }
            }
        }
    }

    @Test(arguments: UInt64(1)...40)
    func `in any order of events everybody has a turn, and no more than all is taken`(seed: UInt64)
    {
        var crowd = Crowd(seed: seed)
        for _ in 0..<400 { crowd.step() }
        crowd.drain()
        #expect(crowd.servedCount > 50)
    }
}
