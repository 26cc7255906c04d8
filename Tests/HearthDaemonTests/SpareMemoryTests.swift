import Glibc
import Testing

@testable import HearthDaemon

struct SpareMemoryTests {
    private func reading(_ megabytes: Int, busy seconds: Int) -> SpareMemory.Reading {
        SpareMemory.Reading(byteCount: megabytes << 20, processorTime: .seconds(seconds))
    }

    @Test func `much spare memory goes back at the first quiet moment`() {
        var memory = SpareMemory()
        // At the first reading nobody knows whether the process is quiet.
        let told = [100, 107, 108].map { memory.isReturnDue(at: reading(900, busy: $0)) }
        #expect(told == [false, false, true])
    }

    @Test func `little spare memory stays`() {
        var memory = SpareMemory()
        let told = (0..<5).map { _ in memory.isReturnDue(at: reading(31, busy: 1)) }
        #expect(!told.contains(true))
    }

    @Test func `what cannot go back is tried once, until much more is spare`() {
        var memory = SpareMemory()
        let before = [200, 200].map { memory.isReturnDue(at: reading($0, busy: 1)) }
        memory.gaveBack(leaving: 150 << 20)
        let behind = [181, 182].map { memory.isReturnDue(at: reading($0, busy: 1)) }
        #expect(before == [false, true])
        #expect(behind == [false, true])
    }

    @Test func `memory that was used again in between counts as freed anew`() {
        var memory = SpareMemory()
        _ = memory.isReturnDue(at: reading(200, busy: 1))
        memory.gaveBack(leaving: 150 << 20)
        let told = [20, 150].map { memory.isReturnDue(at: reading($0, busy: 1)) }
        #expect(told == [false, true])
    }

    @Test func `freed memory between pieces in use goes back to the system`() throws {
        let byteCount = 16_384
        let pieces = (0..<8_192).map { _ in
            let piece = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
            memset(piece, 1, byteCount)
            return piece
        }
        for (number, piece) in pieces.enumerated() where number % 8 != 0 { piece.deallocate() }
        defer {
            for (number, piece) in pieces.enumerated() where number % 8 == 0 { piece.deallocate() }
        }
        let before = try #require(SpareMemory.Reading.now)
        SpareMemory.giveBack()
        let after = try #require(SpareMemory.Reading.now)
        // Of 112 MB; other tests run meanwhile.
        #expect(before.byteCount - after.byteCount > 56 << 20)
    }
}
