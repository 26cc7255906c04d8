import HearthFirestore
import Synchronization

/// The room of one survey. When nobody has the room any more, its bytes are free.
final class SharedSurveyRoom: SurveyRoom {
    private struct State {
        /// Bytes of the memory that are this room's.
        var takenByteCount: Int
        var heldByteCount = SurveyMemoryLimits.readerByteCount
        /// Whether others had what the survey would have needed.
        var wasShort = false
    }

    private let whole: SharedSurveyMemory
    private let state: Mutex<State>

    /// A room whose bytes are taken already.
    init(of whole: SharedSurveyMemory, _ byteCount: Int) {
        self.whole = whole
        state = Mutex(State(takenByteCount: byteCount))
    }

    deinit { end() }

    var heldByteCount: Int { state.withLock { $0.heldByteCount } }

    /// How much to claim for the same survey after it found no more room; `nil` if no room helps.
    var greaterClaim: Int? {
        state.withLock { state in
            guard state.wasShort, state.takenByteCount < whole.surveyByteCountMax else {
                return nil
            }
            return min(
                state.takenByteCount * SurveyMemoryLimits.claimFactor, whole.surveyByteCountMax)
        }
    }

    func hold(_ byteCount: Int) -> Bool {
        state.withLock { state in
            let (held, isTooMuch) = state.heldByteCount.addingReportingOverflow(byteCount)
            guard !isTooMuch, held <= whole.surveyByteCountMax else { return false }
            let missing = held - state.takenByteCount
            if missing > 0 {
                let piece = SurveyMemoryLimits.pieceByteCount
                let pieces = (missing + piece - 1) / piece * piece
                let more = min(pieces, whole.surveyByteCountMax - state.takenByteCount)
                guard whole.grow(by: more) else {
                    state.wasShort = true
                    return false
                }
                state.takenByteCount += more
            }
            state.heldByteCount = held
            return true
        }
    }

    func letGo(_ byteCount: Int) {
        state.withLock { $0.heldByteCount = max(0, $0.heldByteCount - byteCount) }
    }

    /// The survey has read all: gives back what the answer does not hold.
    func settle() {
        let spare = state.withLock { state in
            let answer = state.heldByteCount - SurveyMemoryLimits.readerByteCount
            let held = min(max(0, answer), state.takenByteCount)
            defer { state.takenByteCount = held }
            state.heldByteCount = held
            return state.takenByteCount - held
        }
        whole.giveBack(spare)
    }

    /// Gives everything back: the survey holds nothing any more.
    func end() {
        let taken = state.withLock { state in
            defer { state.takenByteCount = 0 }
            state.heldByteCount = 0
            return state.takenByteCount
        }
        whole.giveBack(taken)
    }
}
