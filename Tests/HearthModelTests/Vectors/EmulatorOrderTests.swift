import HearthModel
import Testing

/// How Google's emulator orders, against how we do.
struct EmulatorOrderTests {
    /// In geo points and vectors Java compares doubles by `Double.compare`, which puts -0.0 before
    /// 0.0. We hold them tied, as the SDKs do, and as the emulator does everywhere else.
    static func holdsZeroWithSign(_ value: Value) -> Bool {
        if case .geoPoint(let point) = value { return point.latitude == 0 && point.longitude == 0 }
        return value.vectorElements?.first == .double(-0.0) || value == .vector([0, 5])
    }

    @Test func `every pair of values is ordered as the emulator orders it`() throws {
        let groups = EmulatorFacts.order.split(separator: "\n").map { line in
            line.split(separator: " ").compactMap { Int($0) }
        }
        let places = groups.enumerated().flatMap { place, group in group.map { (place, $0) } }
        #expect(places.count == EmulatorFacts.values.count)
        for (leftPlace, left) in places {
            for (rightPlace, right) in places {
                let (one, other) = (EmulatorFacts.values[left], EmulatorFacts.values[right])
                if Self.holdsZeroWithSign(one), Self.holdsZeroWithSign(other) { continue }
                #expect(
                    sign(one.compare(to: other)) == sign(leftPlace - rightPlace),
                    "\(one) \(other)")
            }
        }
    }

    @Test func `documents are ordered by name as the emulator orders them`() throws {
        expectAscending(
            try EmulatorFacts.documentIDs.map { try ResourcePath(segments: ["ids", $0]) })
    }

    @Test func `field paths are read if the emulator reads them`() {
        for text in EmulatorFacts.fieldPaths where text != "`a\\b`" {
            // The exception is a backspace to the emulator; its grammar is nowhere published.
            #expect(throws: Never.self, "\(text)") { try FieldPath(canonical: text) }
        }
        for text in EmulatorFacts.refusedFieldPaths where text != "`__x__`" {
            // The exception is well formed; that names like it are reserved is told elsewhere.
            #expect(throws: PathError.self, "\(text)") { try FieldPath(canonical: text) }
        }
    }
}
