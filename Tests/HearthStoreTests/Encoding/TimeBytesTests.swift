import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct TimeBytesTests {
    @Test func `bytes sort as times do and give them back`() throws {
        let times = [
            Timestamp(seconds: .min, nanoseconds: 0), Timestamp(seconds: -1, nanoseconds: 0),
            Timestamp(seconds: -1, nanoseconds: 999_999_999), Timestamp(seconds: 0, nanoseconds: 0),
            Timestamp(seconds: 0, nanoseconds: 1), Timestamp(seconds: 256, nanoseconds: 0),
            Timestamp(seconds: .max, nanoseconds: 999_999_999),
        ]
        for (left, right) in zip(times, times.dropFirst()) {
            #expect(compareBytes(TimeBytes.bytes(of: left), TimeBytes.bytes(of: right)) < 0)
        }
        for time in times {
            let bytes = TimeBytes.bytes(of: time)
            #expect(try bytes.withUnsafeBytes { try TimeBytes.time(from: $0) } == time)
        }
    }

    @Test func `bytes that are no time are damage`() {
        for bytes in [[], [UInt8](repeating: 0, count: 11), [UInt8](repeating: 0xFF, count: 12)] {
            #expect(throws: StoreError.self) {
                try bytes.withUnsafeBytes { try TimeBytes.time(from: $0) }
            }
        }
    }

    @Test func `more times than a batch has writes are damage, in however many runs`() throws {
        let run = TimeBytes.runs(of: [SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))])
        let wide = Array(run.dropLast(4)) + [0, 0x10, 0, 0]
        let whole = try wide.withUnsafeBytes { try TimeBytes.versions(fromRuns: $0) }
        #expect(whole.count == 1 << 20)
        for more in [run, wide] {
            #expect(throws: StoreError.self) {
                try (wide + more).withUnsafeBytes { try TimeBytes.versions(fromRuns: $0) }
            }
        }
    }
}
