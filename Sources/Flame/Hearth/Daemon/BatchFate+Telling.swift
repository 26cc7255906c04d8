import HearthEngine
import HearthModel

/// What operators are told of a batch that does not lie where they looked.
extension BatchFate {
    /// A sentence or two about the batch of a number.
    func told(of id: Int64) -> String {
        switch end {
        case .pending: return "Batch \(id) has no answer of the backend yet."
        case .committed: return "The backend has committed batch \(id)\(time)."
        case .rejected(let error, let mayHaveBeenApplied):
            let doubt = mayHaveBeenApplied ? " The batch may have been applied all the same." : ""
            return "Batch \(id) was rejected\(time) with \(error.code.name): \(error.message)"
                + "\(error.message.hasSuffix(".") ? "" : ".")\(doubt) The letter is there no more: the "
                + "program that wrote the batch was told, or somebody dropped or retried the letter."
        }
    }

    /// When some write was last accepted before the end, as words; empty if that is not known. The
    /// store keeps no other time of an end.
    private var time: String {
        notedAt.seconds > 0 ? " after \(Hearth.Timestamp(notedAt).description)" : ""
    }
}
