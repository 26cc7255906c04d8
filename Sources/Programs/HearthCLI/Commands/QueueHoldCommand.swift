import ArgumentParser
import Hearth

/// `hearth queue hold`.
struct QueueHoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Keep batches back, and all behind them.",
        discussion: "Held batches stay held over restarts. JSON: batch.")

    @OptionGroup var batches: BatchArguments
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        try await batches.steer("hold", "held", .queue, connection) {
            try await $0.holdPendingBatches($1)
        }
    }
}
