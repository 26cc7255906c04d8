import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

/// Requests whose few bytes would become very many values are refused before they are read.
struct WriteBoundsTests {
    private func check(_ bytes: [UInt8], _ request: WriteBounds.Request) -> HearthError? {
        bytes.withUnsafeBytes { bytes in
            do throws(HearthError) {
                try WriteBounds.check(bytes, of: request)
                return nil
            } catch {
                return error
            }
        }
    }

    /// A field with a message or a text.
    private func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [number << 3 | 2]
        var rest = content.count
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)] + content
    }

    /// So many fields of nothing.
    private func empty(_ number: UInt8, count: Int) -> [UInt8] {
        Array(repeatElement([number << 3 | 2, 0], count: count).joined())
    }

    private static let most = WriteBounds.documentElementCountMax

    /// A document with an array of elements, each null.
    private func nulls(count: Int) -> [UInt8] {
        let array = Array(repeatElement([0x0A, 2, 0x58, 0] as [UInt8], count: count).joined())
        return field(2, field(1, [0x61]) + field(2, field(9, array)))
    }

    @Test(
        arguments: [
            (WriteBounds.Request.commit, 2, 1), (.write, 3, 1), (.createDocument, 4, nil),
            (.updateDocument, 1, nil),
        ] as [(WriteBounds.Request, UInt8, UInt8?)])
    func `a document of more fields than bytes is in no request`(
        request: WriteBounds.Request, place: UInt8, update: UInt8?
    ) {
        for (count, isRefused) in [(Self.most, false), (Self.most + 1, true)] {
            let document = empty(2, count: count)
            let bytes = field(place, update.map { field($0, document) } ?? document)
            let error = check(bytes, request)
            #expect((error != nil) == isRefused)
            if isRefused { #expect(error?.code == .invalidArgument) }
        }
    }

    @Test func `what is deep inside counts for its document, each document by itself`() throws {
        func commit(_ documents: [UInt8]...) -> [UInt8] {
            documents.flatMap { field(2, field(1, $0)) }
        }
        // One is the field that holds the array.
        #expect(check(commit(nulls(count: Self.most - 1)), .commit) == nil)
        #expect(check(commit(nulls(count: Self.most)), .commit) != nil)
        let half = nulls(count: Self.most / 2)
        #expect(check(commit(half, half), .commit) == nil)
        #expect(check(commit(half + half), .commit) != nil)
        let maps = field(2, field(2, field(6, empty(1, count: Self.most))))
        #expect(check(commit(maps), .commit) != nil)
    }

    @Test func `the largest list of nothing is read as it was sent`() throws {
        let document = nulls(count: 200_000)
        let bytes = field(1, Array("projects/p/databases/d".utf8)) + field(2, field(1, document))
        #expect(check(bytes, .commit) == nil)
        let request = try ProtoCommitRequest(serializedBytes: bytes)
        let value = try #require(request.writes.first?.update.fields.first?.value)
        #expect(value.arrayValue.values.count == 200_000)
    }

    @Test func `writes and transforms are bounded too`() {
        let most = WriteBounds.writeCountMax
        #expect(check(empty(3, count: most), .write) == nil)
        #expect(check(empty(3, count: most + 1), .write) != nil)
        #expect(check(empty(2, count: most + 1), .commit) != nil)
        #expect(check(field(2, empty(7, count: most)), .commit) == nil)
        #expect(check(field(2, empty(7, count: most + 1)), .commit) != nil)
        #expect(check(field(2, field(7, field(6, empty(1, count: Self.most + 1)))), .commit) != nil)
        #expect(check(field(2, field(3, empty(1, count: Self.most + 1))), .commit) != nil)
    }

    @Test func `bytes that are no request are left to whoever reads them`() {
        #expect(check([UInt8](repeating: 0xFF, count: 300_000), .commit) == nil)
        var deep: [UInt8] = empty(1, count: 120_000)
        for _ in 0..<300 { deep = field(1, field(9, deep)) }
        #expect(check(field(2, field(1, field(2, field(2, field(9, deep))))), .commit) == nil)
    }
}
