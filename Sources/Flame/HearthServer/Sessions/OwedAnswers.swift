import HearthFirestore
import HearthModel
import HearthWire

/// The answers that a session owes its client by number, and the fates of accepted writes.
///
/// The table counts the requests that may change documents. While such a request waits for its
/// turn, an answer from memory could overtake the client's own write.
struct OwedAnswers: Sendable {
    /// What is owed under a number.
    enum Owed: Sendable {
        case reply
        case write(sequence: UInt64)
        /// A bundle that has come in part.
        case bundle(BegunBundle)
        /// A bundle of so many bytes that the engine loads.
        case loading(byteCount: Int)
        /// What a listener sees.
        case listener(AccessScope)
        case syncListener
        /// The daemon's state.
        case statusListener
        /// A transaction at a place, which takes several steps.
        case transaction(RealtimePath)

        /// Bytes of a bundle that are kept.
        var bundleByteCount: Int {
            switch self {
            case .bundle(let begun): begun.byteCount
            case .loading(let byteCount): byteCount
            case .reply, .write, .listener, .syncListener, .statusListener, .transaction: 0
            }
        }

        /// Whether the client has more to say under the same number.
        var isBegun: Bool {
            switch self {
            case .bundle, .transaction: true
            case .loading, .reply, .write, .listener, .syncListener, .statusListener: false
            }
        }

        /// Whether it lasts until the client ends it.
        var isListener: Bool {
            switch self {
            case .listener, .syncListener, .statusListener: true
            case .reply, .write, .bundle, .loading, .transaction: false
            }
        }

        /// Whether the request may change documents.
        var changesDocuments: Bool {
            switch self {
            case .write, .bundle, .loading: true
            // No answer from memory can overtake a transaction: they are of different engines.
            case .reply, .listener, .syncListener, .statusListener, .transaction: false
            }
        }
    }

    private struct Entry: Sendable {
        var owed: Owed
        /// The bytes of the request, which are kept until it is answered.
        var requestByteCount = 0

        var byteCount: Int { requestByteCount + owed.bundleByteCount }

        /// Bytes that go when the engine has answered.
        var waitingByteCount: Int {
            switch owed {
            case .reply, .write: requestByteCount
            case .loading: byteCount
            case .bundle, .listener, .syncListener, .statusListener, .transaction: 0
            }
        }
    }

    private var answers: [UInt64: Entry] = [:]
    /// Accepted writes that the backend has not answered, with the client's own numbers.
    private var unsettled: [UInt64: UInt64] = [:]
    /// Listeners of all kinds.
    private(set) var listenerCount = 0
    /// Requests that may change documents.
    private(set) var changeCount = 0
    /// Bytes that are kept until the answers are given.
    private(set) var byteCount = 0
    /// Bytes among `byteCount` that the engine's answers set free.
    private(set) var waitingByteCount = 0
    /// Bytes among `byteCount` of begun bundles.
    private(set) var bundleByteCount = 0

    /// How many requests have no answer yet. Listeners and accepted writes do not count.
    var requestCount: Int { answers.count - listenerCount }

    /// How many numbers are in use.
    var numberCount: Int { answers.count + unsettled.count }

    /// Whether a number stands for something.
    func isInUse(_ number: UInt64) -> Bool { answers[number] != nil || unsettled[number] != nil }

    /// Whether a listener of this number wants to be told.
    func listens(_ number: UInt64) -> Bool {
        if case .listener? = answers[number]?.owed { true } else { false }
    }

    /// The listeners by rising numbers, with the scope that each listener sees.
    var listeners: [(number: UInt64, scope: AccessScope)] {
        answers.compactMap { number, entry in
            if case .listener(let scope) = entry.owed { (number, scope) } else { nil }
        }.sorted { $0.0 < $1.0 }
    }

    /// The transactions that have not ended, by rising numbers, with their places.
    var transactions: [(number: UInt64, path: RealtimePath)] {
        answers.compactMap { number, entry in
            if case .transaction(let path) = entry.owed { (number, path) } else { nil }
        }.sorted { $0.0 < $1.0 }
    }

    /// What is owed under a number; setting `nil` settles it.
    subscript(number: UInt64) -> Owed? {
        get { answers[number]?.owed }
        set {
            guard let newValue else {
                removeValue(forKey: number)
                return
            }
            let old = answers[number]
            let new = Entry(owed: newValue, requestByteCount: old?.requestByteCount ?? 0)
            answers[number] = new
            count(old, by: -1)
            count(new, by: 1)
        }
    }

    /// Notes how large the request under a number is, if it is owed an answer.
    mutating func charge(_ byteCount: Int, to number: UInt64) {
        guard var entry = answers[number] else { return }
        // A bundle's parts are counted as they are put together.
        if entry.owed.bundleByteCount > 0 { return }
        count(entry, by: -1)
        entry.requestByteCount = byteCount
        answers[number] = entry
        count(entry, by: 1)
    }

    /// Settles a number, and returns what was owed under it.
    @discardableResult
    mutating func removeValue(forKey number: UInt64) -> Owed? {
        let old = answers.removeValue(forKey: number)
        count(old, by: -1)
        return old?.owed
    }

    /// An answer for whoever waits for one under a number.
    mutating func answer(_ number: UInt64, _ event: Event) -> [SessionMachine.Action] {
        removeValue(forKey: number) == nil ? [] : [.reply(event, number)]
    }

    /// A write is accepted, and not settled; returns the client's number for it, if it was owed.
    mutating func accept(_ number: UInt64) -> UInt64? {
        guard case .write(let sequence)? = answers[number]?.owed else { return nil }
        removeValue(forKey: number)
        unsettled[number] = sequence
        return sequence
    }

    /// An accepted write is settled; returns the client's number for it, if it was not before.
    mutating func settle(_ number: UInt64) -> UInt64? { unsettled.removeValue(forKey: number) }

    private mutating func count(_ entry: Entry?, by sign: Int) {
        guard let entry else { return }
        if entry.owed.changesDocuments { changeCount += sign }
        if entry.owed.isListener { listenerCount += sign }
        byteCount += sign * entry.byteCount
        waitingByteCount += sign * entry.waitingByteCount
        bundleByteCount += sign * entry.owed.bundleByteCount
    }
}
