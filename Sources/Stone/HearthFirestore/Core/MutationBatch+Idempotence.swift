package import HearthModel

extension MutationBatch {
    /// Whether applying the batch twice in a row leaves the same as applying the batch once.
    ///
    /// An increment counts on, and a precondition can fail the second time; the other transforms,
    /// as sets of elements, extremes and times, find their work done.
    package var isIdempotent: Bool {
        mutations.allSatisfy { mutation in
            guard mutation.precondition == .none else { return false }
            return !mutation.transforms.contains {
                if case .increment = $0.operation { true } else { false }
            }
        }
    }
}
