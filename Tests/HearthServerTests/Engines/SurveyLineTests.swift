import Testing

@testable import HearthServer

struct SurveyLineTests {
    private func begun(_ line: inout SurveyLine<String>) -> [String] {
        var begun: [String] = []
        while let next = line.next() { begun.append(next.element) }
        return begun
    }

    @Test func `an owner has one survey at a time, and leaves a lane to others`() {
        var line = SurveyLine<String>(laneCount: 2)
        for name in ["a1", "a2", "a3"] { line.append(name, of: 1) }
        #expect(begun(&line) == ["a1"])
        line.append("b1", of: 2)
        #expect(begun(&line) == ["b1"])
        line.append("c1", of: nil)
        #expect(begun(&line).isEmpty)
        line.finished(1)
        #expect(begun(&line) == ["a2"])
    }

    @Test func `owners take turns, however much one asks`() {
        var line = SurveyLine<String>(laneCount: 1)
        for name in ["a1", "a2", "a3"] { line.append(name, of: 1) }
        line.append("b1", of: 2)
        line.append("b2", of: 2)
        var order: [String] = []
        while let next = line.next() {
            order.append(next.element)
            line.finished(next.owner)
        }
        #expect(order == ["a1", "b1", "a2", "b2", "a3"])
    }

    @Test func `what nobody waits for any more is never begun`() {
        var line = SurveyLine<String>(laneCount: 2)
        for name in ["a1", "a2"] { line.append(name, of: 1) }
        line.append("b1", of: 2)
        line.remove { $0 == "a1" || $0 == "b1" }
        #expect(begun(&line) == ["a2"])
    }
}
