import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthFirestore

struct StreamMachineTests {
    private var stream = StreamMachine<TimerID>(.watch)
    private var chance = EvenChance()
    private let one = StreamNumber(1)
    private let unavailable = HearthError(code: .unavailable, message: "gone")

    @Test mutating func `a first start is at once, a start after a failure waits`() {
        #expect(stream.start(at: start, using: &chance) == [.open(one)])
        #expect(stream.opened(one) == [.schedule(.watchHealth, .seconds(10))])
        #expect(stream.closed(one, unavailable) != nil)
        #expect(
            stream.start(at: start, using: &chance) == [.schedule(.watchBackoff, .seconds(0))])
        #expect(stream.fired(.watchBackoff, at: start) == [.open(StreamNumber(2))])
        #expect(stream.closed(StreamNumber(2), unavailable) != nil)
        let second = stream.start(at: start, using: &chance)
        #expect(second == [.schedule(.watchBackoff, .seconds(1))])
    }

    @Test mutating func `the echo of a stream that was closed is known by its number`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.stop()
        _ = stream.start(at: start, using: &chance)
        #expect(stream.opened(one) == nil)
        #expect(stream.closed(one, unavailable) == nil)
        #expect(stream.number == StreamNumber(2))
    }

    @Test mutating func `an exhausted backend is left alone for a minute`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.closed(one, HearthError(code: .resourceExhausted, message: "enough"))
        let actions = stream.start(at: start, using: &chance)
        #expect(actions == [.schedule(.watchBackoff, .seconds(60))])
    }

    @Test mutating func `a sign of the backend ends a wait, and what follows waits from the start`()
    {
        _ = stream.start(at: start, using: &chance)
        for number in UInt64(1)...6 {
            _ = stream.closed(StreamNumber(number), unavailable)
            _ = stream.start(at: start, using: &chance)
            if number < 6 { _ = stream.fired(.watchBackoff, at: start) }
        }
        #expect(stream.isBackingOff)
        #expect(
            stream.hurry(at: start) == [.cancel(.watchBackoff), .open(StreamNumber(7))])
        #expect(stream.hurry(at: start).isEmpty)
        #expect(stream.fired(.watchBackoff, at: start).isEmpty)
        _ = stream.closed(StreamNumber(7), unavailable)
        #expect(
            stream.start(at: start, using: &chance) == [.schedule(.watchBackoff, .seconds(0))])
    }

    @Test
    mutating func `a wait is not ended so soon after the last attempt, if a pause is asked for`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.closed(one, unavailable)
        _ = stream.start(at: start, using: &chance)
        let (soon, later) = (start.advanced(by: .seconds(4)), start.advanced(by: .seconds(5)))
        #expect(stream.hurry(at: soon, after: .seconds(5)).isEmpty)
        #expect(stream.hurry(at: later, after: .seconds(5)).last == .open(StreamNumber(2)))
    }

    @Test mutating func `an exhausted backend is not hurried`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.closed(one, HearthError(code: .resourceExhausted, message: "enough"))
        _ = stream.start(at: start, using: &chance)
        #expect(stream.hurry(at: start).isEmpty)
        #expect(stream.isBackingOff)
    }

    @Test mutating func `a message makes the next wait none`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.closed(one, unavailable)
        _ = stream.start(at: start, using: &chance)
        _ = stream.fired(.watchBackoff, at: start)
        _ = stream.opened(StreamNumber(2))
        stream.heard()
        _ = stream.closed(StreamNumber(2), unavailable)
        #expect(
            stream.start(at: start, using: &chance) == [.schedule(.watchBackoff, .seconds(0))])
    }

    @Test mutating func `waits grow after what cannot be read, whatever came before it`() {
        _ = stream.start(at: start, using: &chance)
        for (number, wait) in zip(UInt64(1)..., [0, 1, 1.5, 2.25]) {
            _ = stream.opened(StreamNumber(number))
            stream.heard()
            _ = stream.closed(StreamNumber(number), unavailable, wasUnreadable: true)
            let actions = stream.start(at: start, using: &chance)
            #expect(actions == [.schedule(.watchBackoff, .seconds(wait))])
            #expect(stream.hurry(at: start).isEmpty)
            _ = stream.fired(.watchBackoff, at: start)
        }
        _ = stream.opened(StreamNumber(5))
        stream.heard()
        _ = stream.closed(StreamNumber(5), unavailable)
        #expect(
            stream.start(at: start, using: &chance) == [.schedule(.watchBackoff, .seconds(0))])
        #expect(!stream.hurry(at: start).isEmpty)
    }

    @Test mutating func `a stream that says nothing does not end the growth of waits`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.opened(one)
        stream.heard()
        _ = stream.closed(one, unavailable, wasUnreadable: true)
        _ = stream.start(at: start, using: &chance)
        _ = stream.fired(.watchBackoff, at: start)
        _ = stream.closed(StreamNumber(2), unavailable)
        #expect(
            stream.start(at: start, using: &chance) == [.schedule(.watchBackoff, .seconds(1))])
    }

    @Test mutating func `an idle mark is lifted by the next request`() {
        _ = stream.start(at: start, using: &chance)
        #expect(stream.markIdle().isEmpty)
        _ = stream.opened(one)
        #expect(stream.markIdle() == [.schedule(.watchIdle, .seconds(60))])
        #expect(stream.markIdle().isEmpty)
        #expect(stream.sent() == [.cancel(.watchIdle)])
        #expect(stream.sent().isEmpty)
    }

    @Test mutating func `a stop closes what is open and forgets the wait`() {
        _ = stream.start(at: start, using: &chance)
        _ = stream.opened(one)
        #expect(stream.stop().contains(.close(one)))
        #expect(!stream.isStarted)
        #expect(stream.stop().isEmpty)
        #expect(stream.start(at: start, using: &chance) == [.open(StreamNumber(2))])
    }
}
