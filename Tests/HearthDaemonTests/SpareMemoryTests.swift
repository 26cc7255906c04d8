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
        #expect(!memory.isReturnDue(at: reading(900, busy: 100)))
        #expect(!memory.isReturnDue(at: reading(900, busy: 107)))
        #expect(memory.isReturnDue(at: reading(900, busy: 108)))
    }

    @Test func `little spare memory stays`() {
        var memory = SpareMemory()
        for _ in 0..<5 { #expect(!memory.isReturnDue(at: reading(31, busy: 1))) }
    }

    @Test func `what cannot go back is tried once, until much more is spare`() {
        var memory = SpareMemory()
        _ = memory.isReturnDue(at: reading(200, busy: 1))
        #expect(memory.isReturnDue(at: reading(200, busy: 1)))
        memory.gaveBack(leaving: 150)
        #expect(!memory.isReturnDue(at: reading(181, busy: 1)))
        #expect(memory.isReturnDue(at: reading(182, busy: 1)))
    }

    @Test func `memory that was used again in between counts as freed anew`() {
        var memory = SpareMemory()
        _ = memory.isReturnDue(at: reading(200, busy: 1))
        memory.gaveBack(leaving: 150)
        #expect(!memory.isReturnDue(at: reading(20, busy: 1)))
        #expect(memory.isReturnDue(at: reading(150, busy: 1)))
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
