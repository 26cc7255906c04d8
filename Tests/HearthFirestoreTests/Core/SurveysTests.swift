import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct SurveysTests {
    private let rooms = SurveyQuestion(collection("rooms"))
    private let halls = SurveyQuestion(collection("halls"))
    private let outcome = SurveyOutcome.tooLarge

    private func waiter(_ number: UInt64, session: UInt64 = 1) -> Surveys.Waiter {
        .explain(RequestID(session: session, number: number), collection("rooms"))
    }

    private func changes(_ paths: String...) -> DocumentChanges {
        var changes = DocumentChanges()
        for path in paths { changes.insert(key(path)) }
        return changes
    }

    @Test func `equal questions are one survey, for all who ask in their order`() {
        var surveys = Surveys(changeCountMax: 10)
        let first = surveys.add(waiter(1), to: rooms)
        #expect(first == SurveyID(1))
        #expect(surveys.add(waiter(2), to: rooms) == nil)
        #expect(surveys.add(waiter(2), to: rooms) == nil)
        #expect(surveys.add(waiter(3), to: halls) == SurveyID(2))
        #expect(surveys.isOnItsWay(rooms))
        let report = surveys.take(SurveyID(1), outcome)
        #expect(report?.waiters == [waiter(1), waiter(2)])
        #expect(report?.question == rooms)
        #expect(report?.outcome == outcome)
        #expect(!surveys.isOnItsWay(rooms))
        #expect(surveys.isOnItsWay(halls))
        #expect(surveys.take(SurveyID(1), outcome) == nil)
    }

    @Test func `changes where a survey looks are told apart, from its order on`() {
        var surveys = Surveys(changeCountMax: 10)
        surveys.note(changes("rooms/before"))
        _ = surveys.add(waiter(1), to: rooms)
        surveys.note(changes("rooms/a", "halls/a", "rooms/a/beds/b"))
        _ = surveys.add(waiter(1), to: halls)
        surveys.note(changes("rooms/b", "halls/b"))
        let first = surveys.take(SurveyID(1), outcome)
        #expect(first?.changed.sorted() == [key("rooms/a"), key("rooms/b")])
        #expect(first?.isOutdated == false)
        #expect(surveys.take(SurveyID(2), outcome)?.changed.sorted() == [key("halls/b")])
    }

    @Test func `a survey is outdated when too much has changed, or everything`() {
        var surveys = Surveys(changeCountMax: 2)
        _ = surveys.add(waiter(1), to: rooms)
        surveys.note(changes("rooms/a", "rooms/b", "halls/c"))
        #expect(surveys.take(SurveyID(1), outcome)?.isOutdated == false)
        _ = surveys.add(waiter(1), to: rooms)
        surveys.note(changes("rooms/a", "rooms/b", "rooms/c"))
        #expect(surveys.take(SurveyID(2), outcome)?.isOutdated == true)
        _ = surveys.add(waiter(1), to: rooms, attempt: 3)
        surveys.note(.all)
        let report = surveys.take(SurveyID(3), outcome)
        #expect(report?.isOutdated == true)
        #expect(report?.attempt == 3)
    }

    @Test func `a survey of a collection group notes what changes below its path alone`() {
        var surveys = Surveys(changeCountMax: 10)
        let below = SurveyQuestion(Query(collectionGroup: "beds", below: collection("a/b").path))
        _ = surveys.add(waiter(1), to: below)
        _ = surveys.add(waiter(2), to: SurveyQuestion(Query(collectionGroup: "beds", below: .root)))
        surveys.note(changes("a/b/beds/1", "a/c/beds/2", "beds/3", "rooms/4"))
        #expect(surveys.take(SurveyID(1), outcome)?.changed.sorted() == [key("a/b/beds/1")])
        let all = surveys.take(SurveyID(2), outcome)
        #expect(all?.changed.sorted() == [key("a/b/beds/1"), key("a/c/beds/2"), key("beds/3")])
    }

    @Test func `each of many surveys of a place knows what has changed since its own order`() {
        var surveys = Surveys(changeCountMax: 10)
        let questions = (1...5).map { limit -> SurveyQuestion in
            var query = collection("rooms")
            query.limit = Query.Limit(limit)
            return SurveyQuestion(query)
        }
        for (place, question) in questions.enumerated() {
            _ = surveys.add(waiter(UInt64(place)), to: question)
            surveys.note(changes("rooms/r\(place)"))
        }
        for place in questions.indices {
            let report = surveys.take(SurveyID(UInt64(place) + 1), outcome)
            #expect(report?.changed.sorted() == (place..<5).map { key("rooms/r\($0)") })
        }
    }

    @Test func `who is not served yet waits on, and hears of later changes too`() {
        var surveys = Surveys(changeCountMax: 10)
        for number in UInt64(1)...3 { _ = surveys.add(waiter(number), to: rooms) }
        let first = surveys.take(SurveyID(1), outcome, serving: 1)
        #expect(first?.waiters == [waiter(1)])
        #expect(first?.next == waiter(2))
        // Whoever asks from now on asks anew.
        #expect(surveys.add(waiter(4), to: rooms) == SurveyID(2))
        surveys.note(changes("rooms/a"))
        #expect(surveys.remove { $0 == waiter(2) }.isEmpty)
        let last = surveys.take(SurveyID(1), outcome, serving: 1)
        #expect(last?.waiters == [waiter(3)])
        #expect(last?.next == nil)
        #expect(last?.changed.sorted() == [key("rooms/a")])
        #expect(surveys.isOnItsWay(rooms))
        #expect(surveys.take(SurveyID(1), outcome) == nil)
    }

    @Test func `a survey ends with the last who waits for it`() {
        var surveys = Surveys(changeCountMax: 10)
        _ = surveys.add(waiter(1), to: rooms)
        _ = surveys.add(waiter(1, session: 2), to: rooms)
        _ = surveys.add(waiter(2, session: 2), to: halls)
        #expect(surveys.remove { $0.session == 1 }.isEmpty)
        #expect(surveys.remove { $0.session == 2 } == [SurveyID(1), SurveyID(2)])
        #expect(surveys.isEmpty)
        #expect(surveys.add(waiter(1), to: rooms) == SurveyID(3))
    }

    @Test func `who has waited for long does not begin anew with who asks now`() {
        var surveys = Surveys(changeCountMax: 10)
        _ = surveys.add(waiter(1), to: rooms)
        _ = surveys.add(waiter(2), to: rooms, attempt: 3)
        _ = surveys.add(waiter(3), to: rooms, attempt: 2)
        #expect(surveys.take(SurveyID(1), outcome)?.attempt == 3)
    }

    @Test func `pins wait for no session`() {
        var surveys = Surveys(changeCountMax: 10)
        _ = surveys.add(.pins, to: rooms)
        #expect(!surveys.isAwaitedBySession)
        #expect(surveys.add(.pins, to: rooms) == nil)
        _ = surveys.add(waiter(1), to: rooms)
        #expect(surveys.isAwaitedBySession)
        #expect(surveys.take(SurveyID(1), outcome)?.waiters == [.pins, waiter(1)])
    }
}
