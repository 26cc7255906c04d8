import HearthModel
import Testing

@testable import HearthFirestore

struct PromisedClockTests {
    private let heardAt: Int64 = 1_700_000_000_000_000

    @Test func `promises count microseconds from the year 2000 while no server was heard`() {
        var clock = PromisedClock()
        let first = clock.promise(after: .zero)
        clock.uptime = .seconds(3_600)
        let second = clock.promise(after: .zero)
        #expect(first == Timestamp(seconds: 946_684_800, nanoseconds: 1))
        #expect(second == Timestamp(seconds: 946_684_800, nanoseconds: 1_001))
        #expect(first.isPromise && second.isPromise)
    }

    @Test func `a promise is the server's time heard last and the uptime since, less a 2,000th`() {
        var clock = PromisedClock()
        clock.uptime = .seconds(50)
        clock.heard(version(heardAt))
        clock.uptime = .seconds(2_050)
        let promise = clock.promise(after: .zero)
        #expect(promise.microseconds == heardAt + 1_999 * 1_000_000)
    }

    @Test func `a clock that runs fast by 400 ppm makes no promise ahead of the server`() {
        var clock = PromisedClock()
        clock.heard(version(heardAt))
        for hour in Int64(1)...100 {
            // 400 ppm fast: more than any crystal.
            clock.uptime = .seconds(hour * 3_600) + .milliseconds(hour * 1_440)
            let serverNow = heardAt + hour * 3_600 * 1_000_000
            #expect(clock.promise(after: .zero).microseconds < serverNow)
        }
    }

    @Test func `each promise is behind every earlier one and behind the document`() {
        var clock = PromisedClock()
        clock.heard(version(heardAt))
        let first = clock.promise(after: .zero)
        let second = clock.promise(after: .zero)
        let third = clock.promise(after: version(heardAt + 500))
        let fourth = clock.promise(after: .zero)
        #expect(
            [first, second, third, fourth].map { $0.microseconds - heardAt } == [0, 1, 501, 502])
    }

    @Test func `an older time of the server takes nothing back`() {
        var clock = PromisedClock()
        clock.heard(version(heardAt))
        clock.uptime = .seconds(10)
        clock.heard(version(heardAt + 1_000_000))
        #expect(clock.promise(after: .zero).microseconds == heardAt + 9_995_000)
        clock.heard(version(heardAt + 20_000_000))
        #expect(clock.promise(after: .zero).microseconds == heardAt + 20_000_000)
    }

    @Test func `promises go on behind those of the former run`() {
        var clock = PromisedClock()
        let last = Timestamp(promising: heardAt + 77)
        clock.resume(after: last)
        clock.heard(version(heardAt))
        #expect(clock.promise(after: .zero) == Timestamp(promising: heardAt + 78))
    }

    @Test(arguments: [Int64.max, Int64.max - 1, 253_402_300_799_999_999])
    func `times that only a damaged file tells lead to no promise beyond the year 9999`(
        microseconds: Int64
    ) {
        let damaged = Timestamp(microseconds: microseconds)
        let last = Timestamp.promisedMicroseconds.upperBound
        var clock = PromisedClock()
        clock.heard(SnapshotVersion(damaged))
        clock.uptime = .seconds(1_000_000)
        #expect(clock.promise(after: SnapshotVersion(damaged)).microseconds == last)
        #expect(clock.promise(after: .zero).microseconds == last)
        var resumed = PromisedClock()
        resumed.resume(after: damaged)
        #expect(resumed.promise(after: .zero).microseconds == last)
    }

    @Test func `a time that the backend cannot have told is not heard`() {
        var clock = PromisedClock()
        clock.heard(version(heardAt))
        clock.heard(SnapshotVersion(Timestamp(seconds: .max, nanoseconds: 0)))
        #expect(clock.promise(after: .zero).microseconds == heardAt)
    }

    @Test func `only microseconds that can be promised are read as promises`() {
        for microseconds in [Int64.min, -1, 0, 253_402_300_799_999_999, .max] {
            #expect(Timestamp(storedPromise: microseconds) == nil)
        }
        #expect(Timestamp(storedPromise: 1) == Timestamp(promising: 1))
    }
}
