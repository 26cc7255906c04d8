import HearthModel
import Testing

/// The results of Google's emulator, against our matches in the emulator's dialect.
struct EmulatorMatchingTests {
    private func indices(_ ranges: Substring) -> Set<Int> {
        guard ranges != "-" else { return [] }
        return Set(
            ranges.split(separator: ",").flatMap { range -> [Int] in
                let ends = range.split(separator: "-").compactMap { Int($0) }
                return ends.count == 2 ? Array(ends[0]...ends[1]) : ends
            })
    }

    private func operand(_ text: Substring) throws -> Value {
        let digits = text.drop { !$0.isNumber }.prefix { $0.isNumber }
        let number = try #require(Int(digits))
        return switch text.first {
        case "[": .array([EmulatorFacts.values[number]])
        case "l": EmulatorFacts.lists[number]
        default: EmulatorFacts.values[number]
        }
    }

    private func filter(_ op: String, _ operandText: Substring) throws -> Filter {
        let unary: [String: UnaryFilter.Operator] = [
            "isNaN": .isNaN, "isNull": .isNull, "isNotNaN": .isNotNaN, "isNotNull": .isNotNull,
        ]
        if let test = unary[op] { return .unary(UnaryFilter(field: field("v"), op: test)) }
        let comparison = try #require(FieldFilter.Operator(rawValue: op))
        return .field(field("v"), comparison, try operand(operandText))
    }

    @Test func `every filter matches what the emulator finds`() throws {
        var asked = 0
        for line in EmulatorFacts.matches.split(separator: "\n") {
            let parts = line.split(separator: " ")
            let filter = try filter(String(parts[0]), parts[1])
            let expected = indices(parts[2])
            let operand = parts[1] == "-" ? Value.null : try operand(parts[1])
            for (index, value) in EmulatorFacts.values.enumerated() {
                if isKnownDifference(operand, value) { continue }
                asked += 1
                #expect(
                    filter.matches(found("values/x", ["v": value]), .backend)
                        == expected.contains(index), "\(line): \(value)")
            }
        }
        #expect(asked > 150_000)
    }

    /// Zeros in geo points and vectors differ by sign to the emulator alone.
    private func isKnownDifference(_ operand: Value, _ value: Value) -> Bool {
        guard EmulatorOrderTests.holdsZeroWithSign(value) else { return false }
        return ([operand] + (operand.arrayElements ?? [])).contains {
            EmulatorOrderTests.holdsZeroWithSign($0)
        }
    }

    @Test(arguments: EmulatorFacts.queries.indices)
    func `every query finds what the emulator finds, in its order`(index: Int) {
        let (query, results) = EmulatorFacts.queries[index]
        let documents = EmulatorFacts.documents.enumerated().compactMap { number, value in
            guard case .map(let fields) = value else { return Document?.none }
            return found("queries/d\(number < 10 ? "0" : "")\(number)", fields)
        }
        let order = query.order
        let sorted = documents.filter { query.matches($0, .backend) }
            .sorted { order.compare($0, $1) < 0 }
        let limited = sorted.prefix(query.limit?.count ?? sorted.count)
        let numbers = limited.map { $0.key.documentID.drop { "d0".contains($0) } }
        #expect(numbers.map { $0.isEmpty ? "0" : "\($0)" }.joined(separator: " ") == results)
    }
}

extension EmulatorFacts {
    /// Shorthand of the facts.
    static func query(
        _ filters: [Filter], _ orderBys: [OrderBy], _ start: Bound?, _ end: Bound?, _ limit: Int?
    ) -> Query {
        var query = Query(path: path("queries"))
        query.filters = filters
        query.explicitOrderBys = orderBys
        query.startAt = start
        query.endAt = end
        query.limit = limit.map { Query.Limit($0) }
        return query
    }
}
