import Synchronization

/// The options of a transaction.
public final class TransactionOptions: Sendable {
    private let attempts: Atomic<Int>

    /// Options with a number of attempts; five by default.
    public init(maxAttempts: Int = 5) {
        attempts = Atomic(maxAttempts)
    }

    /// How often Hearth tries the transaction at most; 1 or more.
    public var maxAttempts: Int {
        get { attempts.load(ordering: .relaxed) }
        set { attempts.store(newValue, ordering: .relaxed) }
    }
}

extension TransactionOptions: Hashable {
    /// Whether both allow as many attempts.
    public static func == (left: TransactionOptions, right: TransactionOptions) -> Bool {
        left.maxAttempts == right.maxAttempts
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(maxAttempts) }
}
