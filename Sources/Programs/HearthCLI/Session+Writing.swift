import Hearth

extension Session {
    /// Writes one document, waits as long as wanted, and says how far it came.
    func write(
        _ path: PathText, _ options: StageOptions, _ connection: ConnectionOptions,
        _ work: @escaping @Sendable (WriteStage) async throws -> WriteReceipt
    ) async throws(Failure) {
        let stage = options.until.stage
        let report = try await attempt("write \(path)", timeout: options.timeout?.duration) {
            let receipt = try await work(stage)
            let report = Report().with("path", path.description).with("state", "\(stage)")
                .with("batch", Int(try await receipt.accepted()))
            guard stage == .committed else { return report }
            return report.with("commitTime", .timestamp(try await receipt.committed().commitTime))
        }
        if connection.json {
            Terminal.print(report.line)
        } else if !connection.quiet {
            Terminal.print("\(stage) \(path)")
        }
    }
}
