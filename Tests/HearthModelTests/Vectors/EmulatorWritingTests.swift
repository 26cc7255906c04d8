import HearthModel
import Testing

/// The results of transforms and masks in Google's emulator, against our results in the emulator's
/// dialect.
struct EmulatorWritingTests {
    private func operation(_ kind: Substring, _ number: Int) throws -> FieldTransform.Operation {
        switch kind {
        case "increment": return .increment(EmulatorFacts.numbers[number])
        case "maximum": return .maximum(EmulatorFacts.numbers[number])
        case "minimum": return .minimum(EmulatorFacts.numbers[number])
        case "union": return .arrayUnion(EmulatorFacts.elements[number])
        default:
            try #require(kind == "remove")
            return .arrayRemove(EmulatorFacts.elements[number])
        }
    }

    @Test func `every transform of every base gives what the emulator gives`() throws {
        var asked = 0
        for line in EmulatorFacts.transforms.split(separator: "\n") {
            let parts = line.split(separator: " ")
            let number = try #require(Int(parts[1]))
            let operation = try operation(parts[0], number)
            #expect(parts.count == EmulatorFacts.bases.count + 2)
            for (base, answer) in zip(EmulatorFacts.bases, parts.dropFirst(2)) {
                asked += 1
                let result = operation.committedResult(
                    previous: base, commitTime: Timestamp(seconds: 0, nanoseconds: 0))
                #expect(
                    notation(of: result) == answer,
                    "\(parts[0]) \(number) of \(base.map(notation(of:)) ?? "nothing")")
            }
        }
        #expect(asked > 1_500)
    }

    @Test func `every masked write gives what the emulator gives`() throws {
        for (document, values, mask, outcome) in EmulatorFacts.masks {
            guard case .map(let fields) = document, case .map(let values) = values else {
                Issue.record("A document is no map")
                continue
            }
            let mask = FieldMask(try mask.map { try FieldPath(canonical: $0) })
            let patched = Mutation.patched(fields, values, mask)
            #expect(notation(of: .map(patched)) == outcome, "\(mask.paths)")
        }
    }
}
