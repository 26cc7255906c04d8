import HearthFirestore

/// What a session owes its client, by the client's numbers.
///
/// Counts what may change documents: while such a request waits for its turn, an answer from memory
/// could overtake the client's own write.
struct OwedAnswers: Sendable {
    /// What is owed under a number.
    enum Owed: Sendable {
        case reply
        case write(sequence: UInt64)
        /// The parts of a bundle that have come.
        case bundle(BundleParts)
        /// A bundle that the engine loads.
        case loading
        /// What a listener sees.
        case listener(AccessScope)
        case syncListener

        /// Whether the request may change documents.
        var changesDocuments: Bool {
            switch self {
            case .write, .bundle, .loading: true
            case .reply, .listener, .syncListener: false
            }
        }
    }

    private var answers: [UInt64: Owed] = [:]
    /// Requests that may change documents.
    private(set) var changeCount = 0

    /// How many answers are owed; listeners count as long as they last.
    var count: Int { answers.count }

    /// The listeners, in the order of their numbers, with what they see.
    var listeners: [(number: UInt64, scope: AccessScope)] {
        answers.compactMap { number, owed in
            if case .listener(let scope) = owed { (number, scope) } else { nil }
        }.sorted { $0.0 < $1.0 }
    }

    /// What is owed under a number; setting `nil` settles it.
    subscript(number: UInt64) -> Owed? {
        get { answers[number] }
        set {
            let old: Owed?
            if let newValue {
                if newValue.changesDocuments { changeCount += 1 }
                old = answers.updateValue(newValue, forKey: number)
            } else {
                old = answers.removeValue(forKey: number)
            }
            if old?.changesDocuments ?? false { changeCount -= 1 }
        }
    }

    /// Settles a number, and returns what was owed under it.
    @discardableResult
    mutating func removeValue(forKey number: UInt64) -> Owed? {
        let old = answers.removeValue(forKey: number)
        if old?.changesDocuments ?? false { changeCount -= 1 }
        return old
    }
}
