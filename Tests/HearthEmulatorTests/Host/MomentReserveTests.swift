import HearthBackend
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// An emulator with a folder that was started anew is never behind what it has told.
struct MomentReserveTests {
    private let database = DatabaseID(project: "reserve")
    private let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    private var reading: ClockReading { ClockReading(time: now, uptime: .seconds(9)) }

    private func moment(_ seconds: Int64) -> SnapshotVersion {
        SnapshotVersion(now.advanced(by: .seconds(seconds)))
    }

    @Test func `a bound lies a second ahead, and is moved when half is used`() {
        var reserve = MomentReserve(from: .zero)
        #expect(reserve.extend(at: now) == moment(1))
        #expect(reserve.extend(at: now) == nil)
        #expect(reserve.extend(at: now.advanced(by: .milliseconds(500))) == nil)
        #expect(reserve.extend(at: moment(1).timestamp) == moment(2))
        #expect(reserve.extend(at: moment(60).timestamp) == moment(61))
    }

    @Test func `a time below the bound moves no bound`() {
        var reserve = MomentReserve(from: moment(3_600))
        #expect(reserve.extend(at: now) == nil)
        #expect(reserve.extend(at: moment(3_600).timestamp) == moment(3_601))
    }

    @Test func `a turn that names a moment has the disk note a bound beyond it`() throws {
        var state = HostState(Backend(identity: 1, run: 1), isKept: true)
        let first = state.take(reading) { state, now in
            _ = try? state.backend.read(.nothing, in: database, .latest, at: now)
            return nil
        }
        #expect(state.clock == moment(0))
        let bound = try #require(first.noted).bound
        #expect(bound > state.clock)
        #expect(!first.startsSaving)
        let second = state.take(reading) { _, _ in nil }
        #expect(second.noted == nil)
    }

    @Test func `without a folder nothing is noted`() {
        var state = HostState(Backend(identity: 1, run: 1), isKept: false)
        let turn = state.take(reading) { _, _ in nil }
        #expect(turn.noted == nil)
    }

    @Test func `an emulator that ended well begins at the newest moment that it named`() throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let before = EmulatorClock().now
        do {
            let host = try BackendHost(
                keeper: Keeper(folder: folder.path), settings: BackendSettings())
            host.clock.move(to: .seconds(3_600))
            host.heartbeat()
            host.close()
        }
        let clock = try Keeper(folder: folder.path).clock
        #expect(clock.timestamp.since(before) >= .seconds(3_600))
        // Not at a bound ahead of it.
        #expect(clock.timestamp <= EmulatorClock().now.advanced(by: .seconds(3_600)))
    }
}
