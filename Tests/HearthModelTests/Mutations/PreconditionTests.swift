import HearthModel
import Testing

struct PreconditionTests {
    private let documents = [
        found("c/a", [:], at: 5), .missing(key("c/a"), at: version(5)),
        .unknown(key("c/a"), at: version(5)), .invalid(key("c/a")),
    ]

    @Test(
        arguments: [
            (.none, [true, true, true, true]), (.exists(true), [true, false, false, false]),
            (.exists(false), [false, true, true, true]),
            (.updateTime(version(5)), [true, false, false, false]),
            (.updateTime(version(6)), [false, false, false, false]),
        ] as [(Precondition, [Bool])])
    func `a precondition looks at existence and version`(condition: Precondition, met: [Bool]) {
        #expect(documents.map { condition.isMet(by: $0) } == met)
    }
}
