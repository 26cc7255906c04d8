import Logging

/// Whether there is enough memory for all that the limits allow.
extension HearthServer {
    /// Tells in the status and in the journal if the limits allow more than the control group does.
    func judgeMemory(_ configuration: ServerConfiguration) {
        let budget = MemoryBudget(configuration)
        let complaint = budget.complaint(below: MemoryBudget.controlGroupLimit)
        reporter.setReason(complaint, for: "memory")
        if let complaint {
            logger.warning("memory short", metadata: ["reason": "\(complaint)"])
        } else {
            logger.debug("memory budget", metadata: ["byteCount": "\(budget.byteCount)"])
        }
    }
}
