import Testing

@testable import HearthServer

struct SurveyLineTests {
    private let start = ContinuousClock.now

    private func begun(
        _ line: inout SurveyLine<String>, after time: Duration = .zero
    ) -> [String] {
        var begun: [String] = []
        while let next = line.next(at: start + time) { begun.append(next.element) }
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
        line.finished(1, at: start)
        #expect(begun(&line) == ["a2"])
    }

    @Test func `owners take turns, however much one asks`() {
        var line = SurveyLine<String>(laneCount: 1)
        for name in ["a1", "a2", "a3"] { line.append(name, of: 1) }
        line.append("b1", of: 2)
        line.append("b2", of: 2)
        var order: [String] = []
        while let next = line.next(at: start) {
            order.append(next.element)
            line.finished(next.owner, at: start)
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

    @Test func `surveys that follow each other pause now and then, all at once`() {
        var line = SurveyLine<String>(laneCount: 2)
        for name in ["a1", "a2", "a3"] { line.append(name, of: 1) }
        for name in ["b1", "b2"] { line.append(name, of: 2) }
        #expect(begun(&line) == ["a1", "b1"])
        let late = SurveyPauses.period
        line.finished(1, at: start + late)
        #expect(begun(&line, after: late).isEmpty)
        line.finished(2, at: start + late)
        let first = line.next(at: start + late)
        #expect(first?.pause == SurveyPauses.length)
        let second = line.next(at: start + late + SurveyPauses.length / 2)
        #expect(second?.pause == SurveyPauses.length / 2)
        line.finished(1, at: start + late * 2)
        let third = line.next(at: start + late * 2)
        #expect(third?.element == "a3")
        #expect(third?.pause == .zero)
    }

    @Test func `nobody pauses who comes after a pause`() {
        var line = SurveyLine<String>(laneCount: 1)
        line.append("a1", of: 1)
        line.append("a2", of: 1)
        #expect(begun(&line) == ["a1"])
        let end = SurveyPauses.period * 2
        line.finished(1, at: start + end)
        let next = line.next(at: start + end + SurveyPauses.length)
        #expect(next?.pause == .zero)
    }
}
