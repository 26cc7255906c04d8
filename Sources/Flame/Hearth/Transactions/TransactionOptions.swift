import Synchronization

/// How a transaction is tried.
public final class TransactionOptions: Sendable {
    private let attempts: Atomic<Int>

    /// Tries a transaction up to five times, unless told otherwise.
    public init(maxAttempts: Int = 5) {
        attempts = Atomic(maxAttempts)
    }

    /// How often at most; 1 or more.
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

    /// Takes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(maxAttempts) }
}
