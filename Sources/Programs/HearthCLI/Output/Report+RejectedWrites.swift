import Hearth

extension [RejectedWrite] {
    /// A line for each: the batch's number, and why.
    var lines: [String] {
        map { "  ! batch \($0.batchID) was rejected: \($0.error)" }
    }
}

extension Report {
    /// Adds writes that were rejected, if there are any: batch, error and code of each.
    func with(_ rejectedWrites: [RejectedWrite]) -> Report {
        if rejectedWrites.isEmpty { return self }
        let values = rejectedWrites.map { rejected in
            Report().with("batch", Int(rejected.batchID))
                .with("error", rejected.error.description)
                .with("code", rejected.error.code.rawValue).value
        }
        return with("rejectedWrites", .array(values))
    }
}
