import Dispatch
import Synchronization

/// The memory that the surveys of all engines share: what they hold while they look, and their answers
/// until these have been taken.
///
///     ask > room > hold, letGo > settle > no answer holds the room any more
///
/// A survey begins with little room and takes more as it finds more. One that finds no more room, because
/// others have it, gives back what it has, and is taken anew when there is more (`greaterClaim`).
package final class SharedSurveyMemory: Sendable {
    /// Hears of a claim, once: with the room, or with `nil` after the claim has left. Must not block.
    typealias Begin = @Sendable (SharedSurveyRoom?) -> Void

    /// Somebody who waits for room. As an element of a generic container, a bare closure would be wrapped
    /// once more each time that the container moves its elements.
    private struct Waiter: Sendable {
        let begin: Begin
    }

    /// How much there is for one survey.
    let surveyByteCountMax: Int
    private let rooms: Mutex<SurveyRooms<Waiter>>
    /// Begins surveys. Room may come back anywhere, under any lock, so nothing is begun there.
    private let queue = DispatchQueue(label: "hearth.surveys")

    /// Memory of which nothing is taken.
    ///
    /// - Parameters:
    ///   - byteCountMax: Bytes of all surveys.
    ///   - surveyByteCountMax: Bytes of one survey, at most `byteCountMax`.
    package init(
        byteCountMax: Int = SurveyMemoryLimits.byteCountMax,
        surveyByteCountMax: Int = SurveyMemoryLimits.surveyByteCountMax
    ) {
        precondition(surveyByteCountMax <= byteCountMax, "One survey has more room than all")
        self.surveyByteCountMax = surveyByteCountMax
        rooms = Mutex(SurveyRooms(byteCountMax: byteCountMax))
    }

    /// Bytes that are taken.
    package var byteCount: Int { rooms.withLock { $0.byteCount } }

    /// How many surveys wait for room.
    package var waitingCount: Int { rooms.withLock { $0.waitingCount } }

    /// Asks for room. Never blocks.
    ///
    /// - Returns: The number of the claim.
    func ask(_ byteCount: Int, of owner: UInt32?, _ begin: @escaping Begin) -> UInt64 {
        let claimed = min(byteCount, surveyByteCountMax)
        return change { $0.ask(Waiter(begin: begin), claimed, of: owner) }
    }

    /// Another owner waits for a claim too, which has room when the turn of either has come.
    func join(_ number: UInt64, _ owner: UInt32?) {
        change { $0.join(number, owner) }
    }

    /// Takes a claim back, if it waits. Never blocks.
    func leave(_ number: UInt64) {
        // Others may have waited behind the claim.
        guard let waiter = change({ $0.leave(number) }) else { return }
        queue.async { waiter.begin(nil) }
    }

    /// Takes more for a survey that has room.
    func grow(by byteCount: Int) -> Bool {
        rooms.withLock { $0.grow(by: byteCount) }
    }

    /// So many bytes are free again. Never blocks, whatever locks the caller has.
    func giveBack(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        change { $0.giveBack(byteCount) }
    }

    /// Changes what is taken or wished, and begins the surveys that have room now.
    ///
    /// Whoever has room has it at once: a claim that waits would keep others from growing, though there is room.
    private func change<Result: Sendable>(
        _ body: @Sendable (inout SurveyRooms<Waiter>) -> Result
    ) -> Result {
        let (result, granted) = rooms.withLock { rooms in
            let result = body(&rooms)
            var granted: [SurveyRooms<Waiter>.Granted] = []
            while let next = rooms.next() { granted.append(next) }
            return (result, granted)
        }
        for granted in granted {
            let room = SharedSurveyRoom(of: self, granted.byteCount)
            queue.async { granted.element.begin(room) }
        }
        return result
    }
}
