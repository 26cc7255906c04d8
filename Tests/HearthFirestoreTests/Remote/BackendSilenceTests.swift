import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// A moment of the tests.
private func second(_ number: Int64) -> Timestamp { start.advanced(by: .seconds(number)) }

/// The clock that a question starts and a word stops.
struct BackendSilenceTests {
    private var silence = BackendSilence()
    private let one = RequestID(session: 1, number: 1)
    private let two = RequestID(session: 1, number: 2)

    @Test mutating func `a listen without a word for ten seconds finds the stream silent`() {
        #expect(silence.listened(at: second(0)) == .seconds(10))
        #expect(silence.listened(at: second(4)) == nil)
        let verdict = silence.fired(at: second(10), isListenAwaited: true)
        #expect(verdict.isStreamSilent)
        #expect(verdict.pause == nil)
    }

    @Test mutating func `a word on the stream is an answer, unless a listen is not taken up`() {
        _ = silence.listened(at: second(0))
        silence.heardOnStream(at: second(3))
        var other = silence
        #expect(silence.fired(at: second(10), isListenAwaited: false) == BackendSilence.Verdict())
        let verdict = other.fired(at: second(10), isListenAwaited: true)
        #expect(!verdict.isStreamSilent)
        #expect(verdict.pause == .seconds(3))
        #expect(other.fired(at: second(13), isListenAwaited: true).isStreamSilent)
    }

    @Test mutating func `a word elsewhere is no answer to a listen, and one for every call`() {
        _ = silence.listened(at: second(0))
        _ = silence.called(one, at: second(0))
        silence.heard(at: second(6))
        let verdict = silence.fired(at: second(10), isListenAwaited: true)
        #expect(verdict.isStreamSilent)
        #expect(verdict.calls.isEmpty)
        #expect(verdict.pause == .seconds(6))
        #expect(silence.fired(at: second(16), isListenAwaited: false).calls == [one])
    }

    @Test mutating func `each call has its own ten seconds`() {
        #expect(silence.called(two, at: second(0)) == .seconds(10))
        #expect(silence.called(one, at: second(7)) == nil)
        let verdict = silence.fired(at: second(10), isListenAwaited: false)
        #expect(verdict.calls == [two])
        #expect(verdict.pause == .seconds(7))
        silence.ended(two)
        silence.ended(one)
        #expect(silence.fired(at: second(17), isListenAwaited: false) == BackendSilence.Verdict())
    }

    @Test mutating func `a clock that was set back makes nobody wait longer than ten seconds`() {
        _ = silence.called(one, at: second(1_000))
        #expect(silence.fired(at: second(0), isListenAwaited: false).pause == .seconds(10))
    }

    @Test mutating func `an answer that old snapshots hold back is overdue after ten seconds`() {
        #expect(silence.passedOver(at: second(0), isAnswerHeldBack: true) == .seconds(10))
        // The other messages of a backend of an old time are words, and change nothing here.
        silence.heardOnStream(at: second(6))
        #expect(silence.passedOver(at: second(6), isAnswerHeldBack: true) == nil)
        let verdict = silence.fired(
            at: second(10), isListenAwaited: false, isAnswerHeldBack: true)
        #expect(verdict.isAnswerOverdue)
        #expect(!verdict.isStreamSilent)
        #expect(verdict.pause == nil)
    }

    @Test mutating func `what was passed over before anybody waited shortens no patience`() {
        #expect(silence.passedOver(at: second(0), isAnswerHeldBack: false) == nil)
        #expect(silence.passedOver(at: second(60), isAnswerHeldBack: true) == .seconds(10))
        let early = silence.fired(at: second(66), isListenAwaited: false, isAnswerHeldBack: true)
        #expect(early.pause == .seconds(4) && !early.isAnswerOverdue)
        let late = silence.fired(at: second(70), isListenAwaited: false, isAnswerHeldBack: true)
        #expect(late.isAnswerOverdue)
    }

    @Test mutating func `a snapshot in order, or the stream's end, holds nothing back`() {
        _ = silence.passedOver(at: second(0), isAnswerHeldBack: true)
        var other = silence
        silence.caughtUp()
        other.streamEnded()
        for var ended in [silence, other] {
            let verdict = ended.fired(
                at: second(10), isListenAwaited: false, isAnswerHeldBack: true)
            #expect(verdict == BackendSilence.Verdict())
        }
    }

    @Test mutating func `nobody waits, so what is passed over is no silence`() {
        _ = silence.listened(at: second(0))
        silence.heardOnStream(at: second(1))
        _ = silence.passedOver(at: second(1), isAnswerHeldBack: false)
        #expect(silence.fired(at: second(11), isListenAwaited: false) == BackendSilence.Verdict())
    }
}
