import Dispatch
import HearthThreads
import Synchronization
import Testing

struct WrittenOnceTests {
    /// Counts how many of its kind live.
    private final class Piece: Sendable {
        final class Count: Sendable {
            let living = Atomic<Int>(0)
        }

        let number: Int
        private let count: Count

        init(_ number: Int, _ count: Count) {
            (self.number, self.count) = (number, count)
            count.living.add(1, ordering: .relaxed)
        }

        deinit { count.living.subtract(1, ordering: .relaxed) }
    }

    /// What many threads share.
    private final class Shared: Sendable {
        let place = WrittenOnce()
    }

    @Test func `a place is empty, then has the first object, and lets go of the others`() {
        let count = Piece.Count()
        do {
            let place = WrittenOnce()
            #expect(place.object(Piece.self) == nil)
            #expect(place.write(Piece(1, count)).number == 1)
            #expect(place.write(Piece(2, count)).number == 1)
            #expect(place.object(Piece.self)?.number == 1)
            #expect(count.living.load(ordering: .relaxed) == 1)
        }
        #expect(count.living.load(ordering: .relaxed) == 0)
    }

    @Test func `an object outlives the place for whoever has read it`() {
        let count = Piece.Count()
        var read: Piece?
        do {
            let place = WrittenOnce()
            _ = place.write(Piece(1, count))
            read = place.object(Piece.self)
        }
        #expect(read?.number == 1)
        read = nil
        #expect(count.living.load(ordering: .relaxed) == 0)
    }

    @Test func `all threads get one object, whoever is first`() {
        for _ in 0..<200 {
            let (count, shared) = (Piece.Count(), Shared())
            let seen = Mutex<Set<Int>>([])
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                let piece =
                    shared.place.object(Piece.self) ?? shared.place.write(Piece(number, count))
                seen.withLock { _ = $0.insert(piece.number) }
            }
            #expect(seen.withLock { $0.count } == 1)
            #expect(count.living.load(ordering: .relaxed) == 1)
        }
    }
}
