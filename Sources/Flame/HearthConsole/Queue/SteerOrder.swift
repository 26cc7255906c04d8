import HearthModel

/// An order about batches, as a page gives it.
package enum SteerOrder: String, CaseIterable, Sendable {
    case hold
    case release
    case cancel
    case drop
    case edit
    case retryDeadLetters
    case dropDeadLetters
    case editDeadLetter
    /// Tries the backend now; about no batch.
    case retry

    /// Whether the order is about dead letters.
    package var isAboutLetters: Bool {
        switch self {
        case .retryDeadLetters, .dropDeadLetters, .editDeadLetter: true
        case .hold, .release, .cancel, .drop, .edit, .retry: false
        }
    }

    /// Whether the order replaces the writes of one batch.
    package var isEdit: Bool { self == .edit || self == .editDeadLetter }
}

/// The batches that an order is about.
enum SteerSubject: Sendable {
    /// By their numbers.
    case batches([Int64])
    /// All that wait for a cause, or were rejected for a cause.
    case cause(String)
    /// All.
    case all

    /// The numbers, if the subject names batches by numbers.
    var named: [Int64]? { if case .batches(let ids) = self { ids } else { nil } }

    /// The number in front of the first batch that is named; `nil` if none is named.
    var front: Int64? { named?.min().map { max(1, $0) - 1 } }

    /// Reads the subject of a question.
    ///
    /// - Throws: `HearthError` `invalidArgument` unless exactly one is named.
    init(_ body: JSONValue?) throws(HearthError) {
        let numbers = body?["ids"]?.elements?.map(\.integer)
        let cause = body?["cause"]?.string
        let isAll = body?["all"]?.boolean ?? false
        switch (numbers, cause, isAll) {
        case (let numbers?, nil, false):
            let ids = numbers.compactMap(\.self)
            guard !ids.isEmpty, ids.count == numbers.count, Set(ids).count == ids.count,
                ids.count <= ConsoleLimits.steeredCountMax
            else {
                throw .argument(
                    "\"ids\" are 1 to \(ConsoleLimits.steeredCountMax) numbers of batches, each once."
                )
            }
            self = .batches(ids)
        case (nil, let cause?, false): self = .cause(cause)
        case (nil, nil, true): self = .all
        default: throw .argument("An order names \"ids\", a \"cause\" or \"all\".")
        }
    }
}
